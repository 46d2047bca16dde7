// The SQL with which a search compares names in PostgreSQL: like `foldedText`, whatever the database's locale.

import type { FindSql } from "../find.ts";
import type { NodePool } from "./connections.ts";
import { petJson } from "./reads.ts";

/** The first of these collations that the server has is used: in the C locale, lower() knows only ASCII. */
const collations = ["pg_c_utf8", "C.utf8", "C.UTF-8", "und-x-icu", "en_US.utf8"];
const readCollation = `SELECT quote_ident(collname) AS name FROM pg_collation
	WHERE collname = ANY($1::text[]) AND collencoding IN (-1, pg_char_to_encoding('UTF8'))
	ORDER BY array_position($1::text[], collname::text) LIMIT 1`;

export async function readFindSql(pool: NodePool): Promise<FindSql> {
	const { rows } = await pool.query(readCollation, [collations]);
	const collation: string = rows[0]?.name ?? '"default"';
	const marks = findMarks();
	const small = (text: string) =>
		`lower(regexp_replace(normalize(${text}, NFKD), '${marks}', '', 'g') COLLATE ${collation})`;
	return {
		petJson,
		// Most names are ASCII. For these, the first case is much faster.
		folded: (
			text,
		) => `CASE WHEN octet_length(${text}) = char_length(${text}) THEN lower(${text} COLLATE "C") COLLATE "C"
			ELSE replace(replace(${small(text)}, 'ß', 'ss'), 'ς', 'σ') COLLATE "C" END`,
		contains: (text, part) => `strpos(${text}, ${part}) > 0`,
	};
}

/** Lists the marks in the first two planes of Unicode, because PostgreSQL's regular expressions have no \p{M}. */
function findMarks(): string {
	const ranges: [first: number, last: number][] = [];
	for (let code = 0x80; code < 0x20000; code++) {
		if (code === 0xd800) code = 0xe000;
		if (!/\p{M}/u.test(String.fromCodePoint(code))) continue;
		const last = ranges.at(-1);
		if (last?.[1] === code - 1) last[1] = code;
		else ranges.push([code, code]);
	}
	return `[${ranges.map((range) => range.map((code) => String.fromCodePoint(code)).join("-")).join("")}]`;
}
