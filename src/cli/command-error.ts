// The errors of commands, and the sentence for each error on the terminal.

import { getSystemErrorMessage } from "node:util";
import { ApiError, NoReply } from "../../client/src/index.ts";
import { ConfigError } from "../config.ts";
import { FileError } from "../files/encoding.ts";
import { ImportFailure } from "../files/import-request.ts";
import { NoSuchKey } from "../keys/issue.ts";
import { CategoriesFull, StorageUnavailable, StoreRefused } from "../store/store.ts";

/** An expected failure of a command. Each line of the message is one sentence that says what to do. */
export class CommandError extends Error {
	/** A command that fixes the failure. It is printed below the message, ready to be run. */
	next?: string;
}

/** A signal such as Ctrl-C stopped the command. */
export class Interrupted extends CommandError {}

/** One sentence for each problem; for an unexpected error, its stack. */
export function describeError(error: unknown): string[] {
	for (const type of [ConfigError, CommandError, StoreRefused, NoSuchKey, CategoriesFull])
		if (error instanceof type) return error.message.split("\n");
	if (error instanceof StorageUnavailable) return [`the store cannot be written: ${error.message}`];
	if (error instanceof FileError) return [inOneLine(error.message)];
	if (error instanceof ImportFailure) return [error.hasReply ? inOneLine(error.message) : describeNoReply(error)];
	if (error instanceof ApiError) return [inOneLine(describeApiError(error))];
	if (error instanceof NoReply) return [describeNoReply(error)];
	return [describeSystemError(error as SystemError)];
}

/** For texts from files and servers, because what follows a line break could look like another message. */
export const inOneLine = (text: string) => text.replace(/\s+/g, " ");

type SystemError = NodeJS.ErrnoException & { port?: number; address?: string };

const advice: Partial<Record<ApiError["code"], string>> = {
	missing_credential: "set a key with ANIMAL_STORE_KEY or --key",
	invalid_credential:
		"set another key with ANIMAL_STORE_KEY or --key; " +
		"on the service's host, animal-store keys create --name me creates one",
	insufficient_scope: "ask for a key with that scope: animal-store keys create --name me --scopes pets:read,pets:write",
	rate_limited: "try again later, or ask for a key with a higher --rate",
	storage_unavailable: "try again in a moment; if it persists, the operator finds the cause in the service's log",
	overloaded: "try again in a moment",
	internal_error: "report the request id to the operator",
	unexpected_reply: "is this the address of an animal store? Set another with ANIMAL_STORE_URL or --url",
};

function describeApiError({ message, code, requestId }: ApiError): string {
	const details = requestId === undefined ? code : `${code}, request id ${requestId}`;
	return `${message} (${details})${advice[code] ? `: ${advice[code]}` : ""}`;
}

function describeNoReply({ message }: Error): string {
	const fix = "Start it with animal-store serve, or set another address with ANIMAL_STORE_URL or --url";
	return `${message}; is the service running there? ${fix}`;
}

function describeSystemError(error: SystemError): string {
	const { code, syscall, port, address, path, errno = 0 } = error;
	if (code && port === undefined && (path !== undefined || syscall === "write")) {
		const verb = syscall === "write" || code === "ENOSPC" ? "written" : "used";
		return `${path ?? "the output"} cannot be ${verb}: ${getSystemErrorMessage(errno)}`;
	}
	const fix = "stop the program that listens there, or set another port with PORT or OPS_PORT (0 picks a free one)";
	if (code === "EADDRINUSE") return `port ${port} on ${address} is in use: ${fix}`;
	if (code === "EACCES") return `this user may not listen on port ${port}: set one above 1023 with PORT or OPS_PORT`;
	if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
		return `${address ?? "the host"} is not an address of this machine: fix HOST or OPS_HOST`;
	return error.stack ?? String(error);
}
