// The meanings of texts in place of a status, and names with lost or garbled letters.

import assert from "node:assert/strict";
import { test } from "node:test";
import { numbersOf } from "./categories.ts";
import { isDamaged } from "./encoding.ts";
import { countUnknownValues, isNoName, isWord, proposeCategory, proposeStatus } from "./values.ts";

test("a status is proposed for the words of five languages, in any case and with blanks, and for nothing else", () => {
	const words = {
		available: "Available, available ,VERFÜGBAR,zu  vermitteln,disponible,En adopcion,Freie,livres",
		pending: "reserviert,On hold,En attente,réservée,Pendente,RESERVIERTER,reservadas",
		sold: "sold ,verkauft,Vermittelt,Vendue,vendido,adotada,Verkaufte,verkaufter,adoptés",
	};
	for (const [status, texts] of Object.entries(words))
		for (const text of texts.split(",")) assert.equal(proposeStatus(text), status, text);
	for (const text of ["-", "--", "—", "n/a", "#N/A", "NA", "n.a.", "null", "(null)", " Keine", "aucune", "nenhum"])
		assert.equal(proposeStatus(text), null, text);
	for (const text of ["", "gone", "sold out", "constructor", "unsold", "not available", "attente"])
		assert.equal(proposeStatus(text), undefined, text);
});

test("of categories whose names a migration found equal, the first one counts", () => {
	const named = [{ id: 7n }, { id: 1n, name: "Dog" }, { id: 5n, name: "dog " }];
	assert.deepEqual([...numbersOf(named)], [["dog", 1n]]);
});

test("values that differ only in case and blanks are counted together, the most frequent first, a thousand of each field", () => {
	const values = countUnknownValues();
	for (const status of ["gone", "Verkauft ", "verkauft"]) values.add({ status, categoryId: "Gone" });
	values.add({ categoryId: " Große  Hunde" });
	assert.deepEqual(values.list(), [
		{ field: "status", text: "Verkauft", rows: 2, proposed: "sold" },
		{ field: "status", text: "gone", rows: 1, proposed: undefined },
		{ field: "categoryId", text: "Gone", rows: 3, proposed: "Gone" },
		{ field: "categoryId", text: "Große  Hunde", rows: 1, proposed: "Große Hunde" },
	]);
	for (let n = 0; n < 1100; n++) values.add({ status: `text ${n}`, categoryId: `text ${n}` });
	assert.equal(values.list().length, 2002);
});

test("a category is proposed for a text with a letter or a picture, and for no number, dash or word for none", () => {
	for (const text of ["Hund", "犬", "🐈", "7 dogs", "Kat. 3", "x".repeat(100)])
		assert.equal(proposeCategory(` ${text} `), text);
	for (const text of ["", "-", "?", "1.000", "1,5", "1E+20", "7-", "keine", "n/a", "x".repeat(101)])
		assert.equal(proposeCategory(text), undefined, text);
	assert.ok(isWord("keine") && !isWord(" 1e3"));
	for (const text of "unbekannt,Namenlos,ohne Name,inconnue,sans nom,Sin nombre,sem nome,unnamed,noname".split(","))
		assert.ok(isNoName(text), text);
});

test("names with lost or garbled letters are found, and questions are not", () => {
	for (const name of ["M?ller", "?ber", "Zo\uFFFD", "Cat \uF408", "MÃ¼ller", "Renâ€™s", "StraÃŸe", "Anna-?rsula"])
		assert.ok(isDamaged(name), name);
	for (const name of ["Müller", "Who?", "Who? Me", "?", "Ã", "São", "? ", "Was ist das? Rex"])
		assert.ok(!isDamaged(name), name);
});
