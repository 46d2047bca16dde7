// Other people's tools for OpenAPI documents, which `npm run prove -- --only programs --all` installs and runs: linters, and
// generators. The program of each generated client, in the folder clients, lists, filters, reads pages of two, creates
// and gets an animal, is refused three times, and prints the lines of `linesOf`.

import { execFile } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../support/postgres-server.ts";
import { type Need, program } from "../../support/proof.ts";

const runFile = promisify(execFile);

/** The animals that exist before the program runs. */
export const seeds = [
	{ name: "Rex", categoryId: 1, status: "available" },
	{ name: "Max", categoryId: 2, status: "sold" },
	{ name: "Ida", categoryId: 3 },
	{ name: "Leo", categoryId: 4, status: "sold" },
	{ name: "Mia", categoryId: 5, status: "pending" },
];

/** The category of the animal that each program creates. A double cannot hold it. */
const category = "9007199254740993";

/** @param integers how the language represents an int64 */
export function linesOf(integers: "exact" | "rounded"): string[] {
	const kept = integers === "exact" ? category : String(Number(category));
	const refused = ["400 invalid_cursor", "401 invalid_credential", "404 pet_not_found"];
	return ["list 5", "filter 2", "page 5", `create ${kept}`, `get ${kept}`, ...refused];
}

interface Workplace {
	folder: string;
	document: string;
}

export interface Tool {
	name: string;
	version: string;
	needs: Need[];
	/** How the tool's clients represent an int64; undefined for linters. */
	integers?: "exact" | "rounded";
	/** Generates the client, or checks the document. @returns the command that runs the client */
	make(place: Workplace): Promise<{ program: string; parameters: string[]; folder: string }>;
}

const versions = {
	generator: "7.25.0",
	oapiCodegen: "v2.8.2",
	pythonClient: "0.29.1",
	prism: "5.16.0",
	bruno: "4.1.0",
};

const python = program("python3", "python3 with python3-venv");
const java = program("java", "openjdk-17-jre-headless");
const go = program("go", "golang-go");

/** Runs a command. @throws Error with everything that it printed */
export async function run(file: string, parameters: string[], folder: string, environment = {}): Promise<string> {
	const options = { cwd: folder, env: { ...process.env, ...environment }, maxBuffer: 1e9, timeout: 900_000 };
	try {
		return (await runFile(file, parameters, options)).stdout;
	} catch (error) {
		const { stdout, stderr } = error as { stdout?: string; stderr?: string };
		throw new Error(`${file} ${parameters.join(" ")}: ${stdout}${stderr || error}`);
	}
}

/** Installs these Python packages. @returns the folder of their programs */
async function pythonWith(folder: string, ...packages: string[]): Promise<string> {
	const bin = join(folder, "venv", "bin");
	await run("python3", ["-m", "venv", "venv"], folder);
	await run(join(bin, "pip"), ["install", "--quiet", ...packages], folder);
	return bin;
}

const generators: Tool[] = [
	{
		name: "openapi-python-client",
		version: versions.pythonClient,
		needs: [python],
		integers: "exact",
		async make({ folder, document }) {
			const bin = await pythonWith(folder, `openapi-python-client==${versions.pythonClient}`);
			const environment = { PATH: `${bin}:${process.env["PATH"]}` };
			const options = ["--path", document, "--output-path", "client", "--fail-on-warning"];
			await run(join(bin, "openapi-python-client"), ["generate", ...options], folder, environment);
			copyFileSync(join(import.meta.dirname, "clients/openapi-python-client.py"), join(folder, "client", "main.py"));
			return { program: join(bin, "python"), parameters: ["main.py"], folder: join(folder, "client") };
		},
	},
];

/** A linter. It fails if the document breaks one of the linter's rules. */
function linter(name: string, version: string, needs: Need[], lint: (place: Workplace) => Promise<string>): Tool {
	const make = async (place: Workplace) => {
		await lint(place);
		return { program: "true", parameters: [], folder: place.folder };
	};
	return { name, version, needs, make };
}

/** Installs an npm package. @returns the path of its program */
async function npmProgram(folder: string, name: string, binary: string): Promise<string> {
	await run("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error", name], folder);
	return join(folder, "node_modules", ".bin", binary);
}

/** Imports the document as a collection, and sends each request of the collection. */
const bruno: Tool = {
	name: "bruno",
	version: versions.bruno,
	needs: [],
	async make({ folder, document }) {
		const command = await npmProgram(folder, `@usebruno/cli@${versions.bruno}`, "bru");
		await run(command, ["import", "openapi", "--source", document, "--output", folder, "-n", "animals"], folder);
		const variables = '--env-var "baseUrl=$ANIMAL_STORE_URL" --env-var "token=$ANIMAL_STORE_KEY"';
		const script = `"${command}" run pets --env 'The server that sent you this document' ${variables}`;
		const parameters = ["-c", `${script} | grep -c '(20[01] ' | grep -x 3`];
		return { program: "sh", parameters, folder: join(folder, "animals") };
	},
};

const jars = "https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli";

/** Only builds a client of openapi-generator. NewPet is renamed: the Go client already has a function of that name. */
const built = (language: string, need: Need, build: (client: string, folder: string) => Promise<string>) =>
	linter(`openapi-generator-${language}`, versions.generator, [java, need], async ({ folder, document }) => {
		const jar = `${jars}/${versions.generator}/openapi-generator-cli-${versions.generator}.jar`;
		await run("curl", ["--fail", "--silent", "--location", "--output", "generator.jar", jar], folder);
		const parameters = ["-i", document, "-g", language, "-o", "client", "--model-name-mappings", "NewPet=PetToAdd"];
		await run("java", ["-jar", "generator.jar", "generate", ...parameters], folder);
		return build(join(folder, "client"), folder);
	});

const linters: Tool[] = [
	built("java", program("mvn", "maven"), (client) =>
		run("mvn", ["--quiet", "--batch-mode", "-Dmaven.test.skip", "compile"], client),
	),
	built("rust", program("cargo"), (client) => run("cargo", ["build", "--quiet", "--no-default-features"], client)),
	built("go", go, (client) => run("sh", ["-c", "go mod tidy && go build ./..."], client)),
	built("python", python, async (client, folder) =>
		run(join(await pythonWith(folder, client), "python"), ["-W", "error", "-c", "import openapi_client"], folder),
	),
	linter("oapi-codegen", versions.oapiCodegen, [go], async ({ folder, document }) => {
		const tool = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${versions.oapiCodegen}`;
		const options = ["-generate", "types,client", "-package", "animals", "-o", "animals.gen.go"];
		await run("go", ["run", tool, ...options, document], folder);
		return run("sh", ["-c", "go mod init animals && go mod tidy && go build ./..."], folder);
	}),
	linter("prism-mock", versions.prism, [program("curl")], async ({ folder, document }) => {
		const prism = await npmProgram(folder, `@stoplight/prism-cli@${versions.prism}`, "prism");
		const port = await freePort();
		const ask = `curl --fail --retry 60 --retry-delay 1 --retry-connrefused -H "Authorization: Bearer x"`;
		const mock = `"${prism}" mock "${document}" --port ${port} & trap "kill $!" EXIT`;
		return run("sh", ["-c", `${mock}; ${ask} http://127.0.0.1:${port}/pets | grep Rex`], folder);
	}),
];

export const tools: Tool[] = [...generators, bruno, ...linters];
