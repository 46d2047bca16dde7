// The Idempotency-Key of each row, from the file's content and the row's number: the same file can be imported again,
// by the command or by the console, and adds nothing twice.

const blockSize = 1024 * 1024;

/** A digest of the whole file, in hex: SHA-256, block after block. Needs Web Crypto: in browsers https or localhost. */
export async function digestOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
	// The digest so far, then the next block.
	const block = new Uint8Array(32 + blockSize);
	let size = 32;
	const digestBlock = async () => {
		block.set(new Uint8Array(await crypto.subtle.digest("SHA-256", block.subarray(0, size))));
		size = 32;
	};
	for await (const chunk of chunks) {
		for (let start = 0; start < chunk.length; ) {
			const piece = chunk.subarray(start, start + block.length - size);
			block.set(piece, size);
			size += piece.length;
			start += piece.length;
			if (size === block.length) await digestBlock();
		}
	}
	await digestBlock();
	return Array.from(block.subarray(0, 32), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param number of the row in the file */
export function rowKey(digest: string, number: number): string {
	return `import-${digest.slice(0, 24)}-${number}`;
}
