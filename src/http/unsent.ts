// Limits the bytes that wait for clients: replies, and animals read for downloads. Each key has a limit, and all keys
// together have one. Beyond a limit, the key with the most bytes loses the connection that has stalled longest.

const defaultLimits = { keyMaxBytes: 64 * 1024 * 1024, allMaxBytes: 256 * 1024 * 1024 };

interface Holder {
	caller: { id: string } | undefined;
	cut(): void;
}
interface OfKey {
	bytes: number;
	/** The request whose bytes have not changed for longest is first. */
	held: Map<Holder, number>;
}
const none: OfKey = { bytes: 0, held: new Map() };

export type Unsent = ReturnType<typeof createUnsent>;

export function createUnsent({ keyMaxBytes, allMaxBytes } = defaultLimits) {
	/** By key id, which is empty for requests without a key. */
	const keys = new Map<string, OfKey>();
	let allBytes = 0;

	function note(holder: Holder, bytes: number): number {
		const id = holder.caller?.id ?? "";
		const key = keys.get(id) ?? { bytes: 0, held: new Map<Holder, number>() };
		const more = bytes - (key.held.get(holder) ?? 0);
		key.held.delete(holder);
		if (bytes > 0) key.held.set(holder, bytes);
		key.bytes += more;
		allBytes += more;
		if (key.held.size > 0) keys.set(id, key);
		else keys.delete(id);
		return key.bytes;
	}

	function closeOldest({ held }: OfKey): void {
		const [oldest] = held.keys();
		if (!oldest) return;
		note(oldest, 0);
		oldest.cut();
	}

	return {
		/** Sets how many bytes a request holds; 0 when they are sent. */
		hold(holder: Holder, bytes: number): void {
			if (note(holder, bytes) <= keyMaxBytes && allBytes <= allMaxBytes) return;
			const largest = () => [...keys.values()].reduce((one, other) => (other.bytes > one.bytes ? other : one), none);
			for (let key = largest(); key.bytes > keyMaxBytes || allBytes > allMaxBytes; key = largest()) closeOldest(key);
		},
		bytes: () => allBytes,
	};
}
