// The peers whose Forwarded and X-Forwarded-* headers count: what TRUST_PROXY names.

import { BlockList, isIP } from "node:net";

/** Whether an address belongs to a trusted proxy; false for what is not an address. */
export type IsTrustedProxy = (address: string) => boolean;

/** The names that Express also knows. */
const namedNetworks = new Map([
	["loopback", ["127.0.0.0/8", "::1"]],
	["linklocal", ["169.254.0.0/16", "fe80::/10"]],
	["uniquelocal", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]],
]);

/** `loopback,192.0.2.7,2001:db8::/32` → a check of addresses; undefined for anything else. */
export function parseTrustedProxies(text: string): IsTrustedProxy | undefined {
	const names = text.split(",").map((name) => name.trim());
	const networks = names.flatMap((name) => namedNetworks.get(name) ?? [name]);
	const list = new BlockList();
	if (!networks.every((network) => addTo(list, network))) return undefined;
	return (address) => {
		// What `check` does with other texts is not documented.
		const version = isIP(address);
		return version !== 0 && list.check(address, version === 6 ? "ipv6" : "ipv4");
	};
}

/** A prefix of 0 would trust everybody, and is refused. @returns whether the network is valid */
function addTo(list: BlockList, network: string): boolean {
	const [, address = "", prefix] = /^([\d.]+|[\da-f:]+)(?:\/([1-9]\d{0,2}))?$/i.exec(network) ?? [];
	const version = isIP(address);
	const bits = version === 6 ? 128 : 32;
	if (version === 0 || Number(prefix ?? bits) > bits) return false;
	list.addSubnet(address, Number(prefix ?? bits), version === 6 ? "ipv6" : "ipv4");
	return true;
}
