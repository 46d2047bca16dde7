// The part of a session that sends requests to the console's private endpoints.

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
