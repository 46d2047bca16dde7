// An error as the sentences that a person at the terminal can act on.

import { getSystemErrorMessage } from "node:util";
import { ApiError, NoReply } from "../../client/src/index.ts";
import { ConfigError } from "../config.ts";
import { NoSuchKey } from "../keys/issue.ts";
import { StorageUnavailable, StoreRefused } from "../store/store.ts";

/** What a command cannot do, and what to do next: the message is the sentence, one on each line. */
export class Refusal extends Error {
	override readonly name: string = "Refusal";
}

/** Ctrl-C or another signal ended the command in good order. */
export class Interrupted extends Refusal {
	override readonly name = "Interrupted";
}

/** One sentence for each problem. Where nobody foresaw the error, its stack is what helps. */
export function sentences(error: unknown): string[] {
	if (error instanceof ConfigError) return error.problems;
	if (error instanceof Refusal) return error.message.split("\n");
	if (error instanceof StoreRefused || error instanceof NoSuchKey) return [error.message];
	if (error instanceof StorageUnavailable) return [`the store cannot be written: ${error.message}`];
	if (error instanceof ApiError) return [refusedByService(error)];
	if (error instanceof NoReply) return [noReply(error)];
	const { code, syscall, port, path } = error as SystemError;
	if (code && port === undefined && (path !== undefined || syscall === "write"))
		return [fileTrouble(error as SystemError)];
	return [socketTrouble(error as SystemError)];
}

type SystemError = NodeJS.ErrnoException & { port?: number; address?: string };

const advice: Partial<Record<ApiError["code"], string>> = {
	missing_credential: "give a key with ANIMAL_STORE_KEY or --key",
	invalid_credential:
		"give another with ANIMAL_STORE_KEY or --key; animal-store keys create --name me makes one on the machine that has the store",
	insufficient_scope: "ask for a key with that scope: animal-store keys create --name me --scopes pets:read,pets:write",
	rate_limited: "wait as long as it says, or ask for a key with a higher --rate",
	storage_unavailable: "try again in a moment; if it stays, its operator finds the cause in the service's log",
	overloaded: "try again in a moment",
	internal_error: "tell its operator the request id",
	unexpected_reply: "is this the address of an animal store? Name another with ANIMAL_STORE_URL or --url",
};

function refusedByService({ message, code, requestId }: ApiError): string {
	const known = requestId === undefined ? code : `${code}, request id ${requestId}`;
	return `${message} (${known})${advice[code] ? `: ${advice[code]}` : ""}`;
}

function noReply({ message, cause }: NoReply): string {
	const inner = cause as { code?: string; cause?: { code?: string } } | undefined;
	const why = inner?.code ?? inner?.cause?.code;
	const shown = typeof why === "string" ? `${message} (${why})` : message;
	return `${shown}; is the service running there? Start it with animal-store serve, or name another with ANIMAL_STORE_URL or --url`;
}

function fileTrouble({ path = "the output", syscall, code, errno = 0 }: SystemError): string {
	const verb = syscall === "write" || code === "ENOSPC" ? "written" : "used";
	return `${path} cannot be ${verb}: ${getSystemErrorMessage(errno)}`;
}

function socketTrouble(error: SystemError): string {
	const { code, port, address, stack } = error;
	switch (code) {
		case "EADDRINUSE":
			return `port ${port} on ${address} is in use: stop what listens there, or choose another with PORT or OPS_PORT (0 picks a free one)`;
		case "EACCES":
			return `port ${port} needs more rights than this user has: choose one above 1023 with PORT or OPS_PORT`;
		case "EADDRNOTAVAIL":
		case "ENOTFOUND":
			return `${address ?? "the host"} is no address of this machine: mend HOST or OPS_HOST`;
		default:
			return stack ?? String(error);
	}
}
