import assert from "node:assert/strict";
import { test } from "node:test";
import { parseEnvFile } from "./env-file.ts";

const parse = (text: string) =>
	parseEnvFile("f", text, (name) => (/^(A|B|_a1)$/.test(name) ? undefined : `names ${name}`));

test("a line of a file of settings is NAME=value, a comment or blank, and a value stays as it is written", () => {
	for (const [text, values] of [
		["", {}],
		['\n \t\n# A=1\n  # it\'s "a" $comment\n', {}],
		["A=1", { A: "1" }],
		["A=1\r\nB=2\r\n", { A: "1", B: "2" }],
		["  A=1  \n\tB=2\t", { A: "1", B: "2" }],
		["_a1=x", { _a1: "x" }],
		["A=a=b==", { A: "a=b==" }],
		[
			"A=postgres://me:p%40@h:5432/d?sslmode=require&application_name=a",
			{
				A: "postgres://me:p%40@h:5432/d?sslmode=require&application_name=a",
			},
		],
		["A=a;b|c(d)*~<e>!é", { A: "a;b|c(d)*~<e>!é" }],
		["A=\"a b\"\nB='c d'", { A: "a b", B: "c d" }],
		['A="it\'s # $HOME `x` \\n "', { A: "it's # $HOME `x` \\n " }],
		["A='say \"$x\" \\'", { A: 'say "$x" \\' }],
	] as const) {
		const { problems, values: read } = parse(text);
		assert.deepEqual([problems, read], [[], values], JSON.stringify(text));
	}
	assert.deepEqual(parse("# one\n\nA=1\nB=2").lines, { A: 3, B: 4 });
});

test("every other line is one sentence with its number, and without its value", () => {
	const shape = "is not NAME=value, without blanks around the =, nor a comment";
	const quotes = "needs quotes around the value of A, for a blank, quote, #, $, ` or \\ in it";
	for (const [line, problem] of [
		["A", shape],
		["A = hidden", shape],
		["A =hidden", shape],
		["export A=hidden", shape],
		["1A=hidden", shape],
		["=hidden", shape],
		["A:hidden", shape],
		[". /etc/hidden", shape],
		["; hidden", shape],
		['"A"=hidden', shape],
		["A=", "gives A no value: remove the line"],
		['A=""', "gives A no value: remove the line"],
		["A=''", "gives A no value: remove the line"],
		['A="hidden', "does not close the quote of A"],
		["A='hidden\"", "does not close the quote of A"],
		['A="', "does not close the quote of A"],
		['A="hid"den"', "goes on after the quote of A"],
		["A='hidden' # comment", "goes on after the quote of A"],
		['A=hid"den"', quotes],
		["A=hid'den", quotes],
		["A=hidden # comment", quotes],
		["A=hid#den", quotes],
		["A=$hidden", quotes],
		["A=hid`den", quotes],
		["A=hid\\den", quotes],
		["A=hid den", quotes],
		["A= hidden", quotes],
		["A=hid\0den", "has a control character in A"],
		["A='hid\tden'", "has a control character in A"],
		["A=hid\u0085den", "has a control character in A"],
		["C=hidden", "names C"],
		["__proto__=hidden", "names __proto__"],
	] as const)
		assert.deepEqual(parse(`# one\n${line}\nB=2`).problems, [`line 2 of f ${problem}`], line);
	assert.deepEqual(parse("A=1\n\nA=1\nC\nA='2").problems, [
		"line 3 of f sets A again, after line 1",
		`line 4 of f ${shape}`,
		"line 5 of f sets A again, after line 1",
	]);
});
