// The parts of a session that send requests to the console's private endpoints.

import type { ImportTarget } from "../../../src/files/import-request.ts";

export interface Asking {
	/**
	 * Sends a request to an endpoint of the console; with a body, the request is a POST.
	 * @returns the reply with exact integers
	 * @throws ApiError, NoReply
	 */
	ask<Reply>(path: string, options: AskOptions): Promise<Reply>;
}

export interface AskOptions {
	body?: string;
	signal?: AbortSignal | undefined;
}

/** The part of a session with which an import sends its rows. */
export type Sender = Pick<ImportTarget, "url" | "key" | "fetch">;
