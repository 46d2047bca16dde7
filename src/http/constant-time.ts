// The comparison of secrets.

/**
 * Compares a secret with a text of a caller, in constant time for texts of one length. Buffers for `timingSafeEqual`
 * would cost more than a hash.
 */
export function isEqual(one: string, other: string): boolean {
	let difference = one.length ^ other.length;
	for (let index = 0; index < one.length; index++) difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
	return difference === 0;
}
