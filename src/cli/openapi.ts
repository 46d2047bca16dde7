// `animal-store openapi`: the OpenAPI document, as it is served and committed.

import { Command } from "commander";
import { openApiText } from "../contract/openapi.ts";

export function openApiCommand(): Command {
	return new Command("openapi")
		.description("print the OpenAPI document of the interface")
		.action(() => void process.stdout.write(openApiText()));
}
