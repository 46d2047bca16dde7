// Writes the files of the API reference at /docs: the page, built from the OpenAPI document, its style sheet, its
// script and its icon. The page loads nothing else.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openApiDocument } from "../../openapi/document.ts";
import { referencePage } from "./page.ts";

const styleSheets = ["../src/parts/tokens", "../src/parts/shared", "page", "text", "operation", "samples", "narrow"];

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string) => readFileSync(`${root}console/reference/${path}`, "utf8");

// Removes files of earlier builds, because the service would still serve them.
rmSync(`${root}dist/docs`, { recursive: true, force: true });
mkdirSync(`${root}dist/docs`, { recursive: true });
const write = (name: string, text: string) => writeFileSync(`${root}dist/docs/${name}`, text);
write("index.html", referencePage(openApiDocument()));
write("reference.css", styleSheets.map((name) => read(`${name}.css`)).join(""));
write("reference.js", read("reference.js"));
write("mark.svg", read("../public/icon.svg"));
