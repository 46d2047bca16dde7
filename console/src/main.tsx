// The web console: for people who list, add and watch animals in a browser. It starts here.

import { render } from "preact";
import { App } from "./app.tsx";

const root = document.getElementById("app");
if (root) render(<App />, root);
