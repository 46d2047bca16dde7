// Warns of variables whose names are nearly those of settings: with DATABASE_ULR, the service would use another store.

/** Shorter names resemble too many variables of other programs. */
const shortest = 8;

/** The setting that the name misspells: at most two letters may be wrong, or one if the setting has eight letters. */
export function nearestSetting(name: string, settingNames: readonly string[]): string | undefined {
	return settingNames.find((setting) => isNear(name, setting, Math.min(2, setting.length + 1 - shortest)));
}

/** Whether at most `letters` letters were left out, added, changed or exchanged with their neighbour. */
function isNear(name: string, setting: string, letters: number): boolean {
	if (letters < 0) return false;
	let start = 0;
	while (start < setting.length && name[start] === setting[start]) start++;
	const [left, right] = [name.slice(start), setting.slice(start)];
	const isRestNear = (fromName: number, fromSetting: number) =>
		isNear(left.slice(fromName), right.slice(fromSetting), letters - 1);
	if (left === right) return true;
	const isExchanged = left[0] === right[1] && left[1] === right[0];
	return isRestNear(1, 1) || isRestNear(1, 0) || isRestNear(0, 1) || (isExchanged && isRestNear(2, 2));
}

/** Prints one sentence on standard error for each such variable. @param names see `namesGiven` */
export function warnOfNearNames({ others, unset }: { others: string[]; unset: string[] }): void {
	for (const name of others) {
		const meant = nearestSetting(name, unset);
		if (meant) console.error(`warning: ${name} is not a setting and has no effect; did you mean ${meant}?`);
	}
}
