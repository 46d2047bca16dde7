// The meanings of texts in place of a status, and names that have lost letters.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isDamaged } from "./encoding.ts";
import { countUnknownValues, proposeStatus } from "./values.ts";

test("a status is proposed for the words of five languages, in any case and with blanks, and for nothing else", () => {
	const words: Record<string, string[]> = {
		available: ["Available", " available ", "VERFÜGBAR", "zu  vermitteln", "disponible", "En adopcion"],
		pending: ["reserviert", "On hold", "En attente", "réservée", "Pendente"],
		sold: ["sold ", "verkauft", "Vermittelt", "Vendue", "vendido", "adotada"],
	};
	for (const [status, texts] of Object.entries(words))
		for (const text of texts) assert.equal(proposeStatus(text), status, text);
	for (const text of ["-", "n/a", " Keine"]) assert.equal(proposeStatus(text), null, text);
	for (const text of ["", "gone", "sold out", "constructor", "unsold", "not available", "attente"])
		assert.equal(proposeStatus(text), undefined, text);
});

test("values that differ only in case and blanks are counted together, the most frequent first, a hundred at most", () => {
	const values = countUnknownValues();
	for (const text of ["gone", "Verkauft ", "verkauft"]) values.add(text);
	assert.deepEqual(values.list(), [
		{ text: "Verkauft", rows: 2, proposed: "sold" },
		{ text: "gone", rows: 1, proposed: undefined },
	]);
	for (let n = 0; n < 200; n++) values.add(`text ${n}`);
	assert.equal(values.list().length, 100);
});

test("names with lost or garbled letters are found, and questions are not", () => {
	for (const name of ["M?ller", "?ber", "Zo\uFFFD", "Cat \uF408", "MÃ¼ller", "Renâ€™s", "Anna-?rsula"])
		assert.ok(isDamaged(name), name);
	for (const name of ["Müller", "Who?", "Who? Me", "?", "Ã", "São", "? ", "Was ist das? Rex"])
		assert.ok(!isDamaged(name), name);
});
