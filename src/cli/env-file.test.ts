import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "../config.ts";
import { parseEnvFile } from "./env-file.ts";

const parse = (text: string) => parseEnvFile("f", text);

test("a line of a settings file is NAME=value, a comment or blank, and a value stays as it is written", () => {
	for (const [text, values] of [
		["", {}],
		['\n \t\n# HOST=1\n  # it\'s "a" $comment\n', {}],
		["HOST=1", { HOST: "1" }],
		["HOST=1\r\nPORT=2\r\n", { HOST: "1", PORT: "2" }],
		["  HOST=1  \n\tPORT=2\t", { HOST: "1", PORT: "2" }],
		["HOST=a=b==", { HOST: "a=b==" }],
		["HOST=postgres://me:p%40@h:5432/d?sslmode=a&b=c", { HOST: "postgres://me:p%40@h:5432/d?sslmode=a&b=c" }],
		["HOST=a;b|c(d)*~<e>!é", { HOST: "a;b|c(d)*~<e>!é" }],
		["HOST=\"a b\"\nPORT='c d'", { HOST: "a b", PORT: "c d" }],
		['HOST="it\'s # $HOME `x` \\n "', { HOST: "it's # $HOME `x` \\n " }],
		["HOST='say \"$x\" \\'", { HOST: 'say "$x" \\' }],
	] as const) {
		assert.deepEqual(parse(text).values, values, JSON.stringify(text));
	}
	assert.deepEqual(parse("# one\n\nHOST=1\nPORT=2").lines, { HOST: 3, PORT: 4 });
});

test("every other line is one sentence with its number, and without its value", () => {
	const shape = "must be NAME=value, without blanks around the =, or a comment";
	const quotes = "needs quotes around the value of HOST, because it has a blank, quote, #, $, ` or \\";
	const unknown = "which is not a setting: animal-store config lists them";
	for (const [line, problem] of [
		["A", shape],
		["A = hidden", shape],
		["A =hidden", shape],
		["export HOST=hidden", shape],
		["1A=hidden", shape],
		["=hidden", shape],
		["A:hidden", shape],
		[". /etc/hidden", shape],
		["; hidden", shape],
		['"A"=hidden', shape],
		["HOST=", "gives HOST no value: remove the line"],
		['HOST=""', "gives HOST no value: remove the line"],
		["HOST=''", "gives HOST no value: remove the line"],
		['HOST="hidden', "does not close the quote of HOST"],
		["HOST='hidden\"", "does not close the quote of HOST"],
		['HOST="', "does not close the quote of HOST"],
		['HOST="hid"den"', "has text after the closing quote of HOST"],
		["HOST='hidden' # comment", "has text after the closing quote of HOST"],
		['HOST=hid"den"', quotes],
		["HOST=hid'den", quotes],
		["HOST=hidden # comment", quotes],
		["HOST=hid#den", quotes],
		["HOST=$hidden", quotes],
		["HOST=hid`den", quotes],
		["HOST=hid\\den", quotes],
		["HOST=hid den", quotes],
		["HOST= hidden", quotes],
		["HOST=hid\0den", "has a control character in HOST"],
		["HOST='hid\tden'", "has a control character in HOST"],
		["HOST=hid\u0085den", "has a control character in HOST"],
		["C=hidden", `names C, ${unknown}`],
		["__proto__=hidden", `names __proto__, ${unknown}`],
	] as const)
		assert.throws(() => parse(`# one\n${line}\nPORT=2`), new ConfigError([`line 2 of f ${problem}`]), line);
	const problems = [
		"line 3 of f sets HOST again, after line 1",
		`line 4 of f ${shape}`,
		"line 5 of f sets HOST again, after line 1",
	];
	assert.throws(() => parse("HOST=1\n\nHOST=1\nC\nHOST='2"), new ConfigError(problems));
});
