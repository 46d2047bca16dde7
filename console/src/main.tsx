// Entry point of the web console, which lists and adds animals in a browser.

import { render } from "preact";
import { App } from "./app.tsx";

const root = document.getElementById("app");
if (root) render(<App />, root);
