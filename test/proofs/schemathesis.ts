// Schemathesis, other people's test tool, on the live service: it makes valid and invalid requests from the OpenAPI
// document, and compares the replies with the document, with all of its checks.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ask } from "../support/caller.ts";
import { startProgram } from "../support/program.ts";
import { newDatabase, newStore, type Proof, program, type Trial, type TrialStore } from "../support/proof.ts";

const release = "4.32.5";
const run = promisify(execFile);

export const proof: Proof = {
	shows: `the live service agrees with openapi.json in all checks of Schemathesis ${release} from PyPI`,
	needs: [program("python3", "python3 with python3-venv")],
	options: { examples: { default: "300", text: "requests for each operation, at most" } },
	async prove(trial) {
		const python = join(trial.folder, "python");
		await run("python3", ["-m", "venv", python]);
		await run(join(python, "bin", "pip"), ["install", "--quiet", `schemathesis==${release}`]);
		const command = join(python, "bin", "schemathesis");
		return {
			version: release,
			seed: trial.seed,
			sqlite: await tryService(command, await newStore("schemathesis", trial.folder), trial),
			postgres: await tryService(command, await newDatabase(trial), trial),
		};
	},
};

/** Runs Schemathesis with the published document. @returns the number of requests */
async function tryService(command: string, { environment, key }: TrialStore, trial: Trial): Promise<number> {
	const service = await startProgram(trial, environment);
	const published: string = (await ask(`${service.url}/openapi.json`)).body;
	const cases = await tryDocument(command, published, { url: service.url, key, trial });
	assert.doesNotMatch(service.output.stdout, /"level":"(error|fatal)"/);
	assert.equal((await service.stop()).code, 0);
	return cases;
}

/** Runs Schemathesis with a document. @throws AssertionError if a check failed */
async function tryDocument(
	command: string,
	document: string,
	{ url, key, trial }: { url: string; key: string; trial: Trial },
): Promise<number> {
	const [file, report] = [join(trial.folder, "openapi.json"), join(trial.folder, "report.ndjson")];
	writeFileSync(file, document);
	const bounds = ["--max-examples", trial.option("examples"), "--seed", String(trial.seed)];
	const output = ["--report", "ndjson", "--report-ndjson-path", report, "--generation-database", "none"];
	const checks = ["--checks", "all", "--continue-on-failure", "--header", `Authorization: Bearer ${key}`];
	const { stdout } = await run(
		command,
		["--no-color", "run", file, "--url", `${url}/v1`, ...checks, ...bounds, ...output],
		{ cwd: trial.folder, maxBuffer: 1e9 },
		// Schemathesis exits with 1 after any finding, even an expected one, so the report decides.
	).catch((error: { stdout: string; stderr: string; code: number }) => {
		if (error.code === 1) return error;
		throw new Error(`Schemathesis did not run: ${error.stdout}${error.stderr}`);
	});
	const failures = readReport(readFileSync(report, "utf8"));
	assert.equal(failures.length, 0, `${failures.length} checks failed:\n${failures.join("\n")}\n${stdout}`);
	const [, cases] = /(\d+) generated/.exec(stdout) ?? [];
	assert.ok(Number(cases) > 100, stdout);
	return Number(cases);
}

/** The fields of an event in Schemathesis's report that this proof reads. */
interface ReportEvent {
	NonFatalError?: { label: string; value: { message: string } };
	ScenarioFinished?: {
		recorder: {
			checks?: Record<string, { name: string; failure_info?: { failure: { title: string; message: string } } }[]>;
			interactions?: Record<string, { request: { uri: string }; response?: { content?: { $base64?: string } } }>;
		};
	};
}

/** @returns the checks that failed, and the operations for which Schemathesis could make no requests */
function readReport(text: string): string[] {
	const failures: string[] = [];
	for (const line of text.trim().split("\n")) {
		const { NonFatalError: error, ScenarioFinished: scenario }: ReportEvent = JSON.parse(line);
		if (error) failures.push(`${error.label}: ${error.value.message}`);
		const { checks = {}, interactions = {} } = scenario?.recorder ?? {};
		for (const [id, made] of Object.entries(checks)) {
			const { request, response } = interactions[id] ?? {};
			const reply = Buffer.from(response?.content?.$base64 ?? "", "base64").toString();
			for (const { name, failure_info: info } of made)
				if (info && !isKnown(name, info.failure.message, request?.uri ?? "", reply))
					failures.push(`${name}: ${info.failure.message}: ${reply}`);
		}
	}
	return failures;
}

/**
 * Whether a finding is expected. A schema cannot state which cursors were issued and which keys were used before. And
 * the service ignores an invalid If-None-Match, so it accepts such a request if the URL has only known parameters.
 */
function isKnown(check: string, message: string, uri: string, reply: string): boolean {
	if (check === "negative_data_rejection")
		return /If-None-Match/.test(message) && !/[?&](?!(?:limit|status|cursor)=)/.test(uri);
	return check === "positive_data_acceptance" && /^\{"code":"(invalid_cursor|idempotency_key_reused)"/.test(reply);
}
