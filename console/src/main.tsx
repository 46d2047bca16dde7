// Entry point of the web console, which lists and adds animals in a browser.

import { render } from "preact";
import { App } from "./app.tsx";

// Charts format numbers in the browser's language, and some browsers name one that does not exist.
try {
	new Intl.NumberFormat(navigator.language);
} catch {
	Object.defineProperty(navigator, "language", { value: "en" });
}

const root = document.getElementById("app");
if (root) render(<App />, root);
