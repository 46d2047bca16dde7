// Connections: what is known of each, and a graceful close that does not lose the last reply.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** A connection, with its current or last request. */
export interface Connection extends Socket {
	latest?: { request: IncomingMessage; response: ServerResponse };
	/** What waits to be parsed (intake.ts). */
	intake?: Intake;
	/** The last reply is sent, or waits for those before it: further requests are ignored. */
	isRefused?: boolean;
	/** Asked for an upgrade: its reply is the last one, and what follows it is ignored. */
	last?: IncomingMessage;
	/** The latest Authorization field, and the hash of the key in it, if any: most requests repeat it. */
	credential?: { field: string; keyHash: string | undefined };
	/** Requests whose reply is not complete. */
	requestsInFlight?: number;
	/** Node's listener for the end of the connection, which aborts all requests without a reply. */
	abortAll?: (() => void) | undefined;
	/** Node's parser. */
	parser?: object | null;
	/** Set by Node while too much waits for the client: the parser takes nothing. */
	_paused?: boolean;
}

/** What waits on a connection. */
export interface Intake {
	/** Whether more was read than the latest request. */
	readonly hasMore: boolean;
	/** Whether all replies were taken, and nothing of a further request was read. */
	readonly isIdle: boolean;
	/** A request begins. @returns whether its line is valid */
	begin(request: IncomingMessage): boolean;
	/** A reply with a body of this length is to be sent. */
	noteReply(request: IncomingMessage, bytes: number): void;
	/** It was sent, or never will be. */
	noteEnd(bytes: number): void;
}

/** How long a connection with an unread request stays half open, so that its reply arrives. */
export const lingerMs = 500;

/**
 * Replaces Node's `destroySoon`: closes the connection for writing, and completely a moment later. A full close with
 * unread bytes would reset the connection, and the reply could be lost.
 */
export function closeGracefully(this: Connection): void {
	this.end();
	const isFullyRead = !this.last && (this.latest?.request.complete ?? true);
	if (isFullyRead) return void this.once("finish", () => this.destroy());
	this.pause();
	setTimeout(() => this.destroy(), lingerMs).unref();
}
