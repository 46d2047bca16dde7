// Which texts are equal for a search, and which are the same name of a category.

import assert from "node:assert/strict";
import { test } from "node:test";
import { comparedName, foldedText } from "./equal-texts.ts";

test("a search ignores case, accents of Latin, Greek and Cyrillic, and the signs that phones type", () => {
	const folded: Record<string, string> = {
		"Łukasz ŁÓDŹ": "lukasz lodz",
		"Ølga Ægir Œuf Ǽ": "olga aegir oeuf ae",
		"Đuka Ðóra Þór Ħal": "duka dora thor hal",
		"Straße ẞ Iğdır İzmir": "strasse ss igdir izmir",
		"Ἀθήνα ΟΔΟΣ Йо́ж Ї": "αθηνα οδοσ иож і",
		"O’Neil O‘Neil OʼNeil O′Neil O´Neil O`Neil": "o'neil o'neil o'neil o'neil o'neil o'neil",
		"a‐b‑c‒d–e—f−g": "a-b-c-d-e-f-g",
		"ﬁｓｈ ❤\ufe0f": "fish ❤",
		"1\u20e3 а\u0483 b\u1ab0 b\u1dc4 б\u2de0 б\ua66f б\ua674 б\ua69e b\ufe20": "1 а b b б б б б b",
	};
	for (const [text, plain] of Object.entries(folded)) {
		assert.equal(foldedText(text), plain);
		assert.equal(foldedText(text.normalize("NFD")), plain, text);
		assert.equal(foldedText(plain), plain);
	}
});

test("the marks of other scripts are letters", () => {
	for (const [one, other] of [
		["หมู", "หมี"],
		["フグ", "フク"],
		["कि", "कु"],
		["שִׁיר", "שֵׁיר"],
		["عَلَم", "عِلْم"],
		["각", "가"],
	] as const) {
		assert.ok(!foldedText(one).includes(foldedText(other)), one);
		assert.equal(foldedText(one.normalize("NFD")), foldedText(one));
	}
});

test("names of categories are equal by Unicode's form, case and white space, and by nothing else", () => {
	for (const [one, other] of [
		["Kätzchen", "KA\u0308TZCHEN"],
		[" Große\u00a0 Hunde\t", "große hunde"],
		["ΣΊΣΥΦΟΣ", "σίσυφος"],
		["ΣΊΣΥΦΟΣ", "σίσυφοσ"],
		["ガ", "カ\u3099"],
	] as const)
		assert.equal(comparedName(one), comparedName(other));
	for (const [one, other] of [
		["Kätzchen", "Katzchen"],
		["bò", "bơ"],
		["หมู", "หมี"],
		["Łoś", "Los"],
		["Straße", "Strasse"],
		["a-b", "a–b"],
		["o'n", "o’n"],
		["１", "1"],
	] as const)
		assert.notEqual(comparedName(one), comparedName(other), one);
});
