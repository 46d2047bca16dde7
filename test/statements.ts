// The statements of the interface document (version 1.0.0), decisions where the document is silent, and tests of both.

import type { Proven } from "./promises.ts";

export const statements: Proven[] = [
	{
		says: "§1 three operations, §8 their parameters and limits, §9 version 1.0.0 under `/v1`",
		tests: ["operations, parameters and limits are those of the interface document"],
	},
	{
		says: "§2, §4.2 Pet is a NewPet plus an int64 `id`, which the service assigns; `name` and int64 `categoryId` are required; `status` is one of three or absent, without a default; 201 with the animal; 400 for missing or invalid fields. Decided: unknown fields are ignored, `Location` until getPet's removal",
		tests: ["json"],
	},
	{
		says: "§2 Decided: `name` has 1 to 255 code points, at least one not white space, no control characters, no lone surrogates, and is kept as sent; a category has no other field",
		tests: ["any body that is a NewPet is stored, and any other bytes are refused and store nothing"],
	},
	{
		says: "§1, §4.1, §4.3 JSON; 200 with Pets or the animal, 404 if there is none. Decided: `ETag`, 304, `private, no-cache`; `prev` and `last`",
		tests: ["reading"],
	},
	{
		says: "§4.1, §8 `limit` from 1 to 100, 20 when absent; `status`. Decided: an unknown parameter gets 400",
		tests: ["queries"],
	},
	{
		says: "§4.1 Lists are paginated. Decided: `Link` with `next` and an opaque signed cursor, by ascending id; the last page has no `next`; a cursor from another filter, altered, or past all ids gets 400",
		tests: [
			"all pages, forwards and backwards, have every animal once, for every limit and filter",
			"queries",
			"a cursor is bound to its direction, filter and store; no character of it can be changed",
			"every read returns the last edit and id, even if that animal was removed",
		],
	},
	{
		says: "§5, §7 bearer key; a missing or invalid key gets 401 with an Error. Decided: 403 without the scope",
		tests: ["credentials", "a key can be created, listed, rotated with grace and revoked while the service runs"],
	},
	{
		says: "§2, §7 Error has `code`, `message`, `status`. Decided: the codes of errors.md, even for malformed HTTP",
		tests: [
			"every error code has one status, and every status of the interface document is used",
			"a request that stalls after a 100 gets 408, with time-outs proportional to the defaults",
			"stalls",
			"framing",
		],
	},
	{
		says: "§4.3, §9 getPet is deprecated, and will be removed on 5 December 2030. Decided: `Deprecation`, `Sunset`, `Link`; then 410",
		tests: ["removal"],
	},
	{
		says: "§1, §4 Decided: HEAD, OPTIONS, 405 with `Allow`; no change or removal through the interface, no other operation; a `petId` that is not an int64 gets 404",
		tests: ["methods", "targets"],
	},
	{
		says: "§4 Decided: gzip of full pages that are requested again",
		tests: ["reading"],
	},
	{
		says: "§8 Decided: rates are unlimited unless set; bodies have at most 64 KiB and 64 levels, headers 16 KiB, URLs 12 KiB",
		tests: ["rates", "json", "headers"],
	},
	{
		says: "§9 Decided: `/v1` changes by additions only",
		tests: ["openapi.json is up to date: npm run openapi writes it"],
	},
];
