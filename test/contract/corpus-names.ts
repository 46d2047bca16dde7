// The names of the heads and bodies that replies of the corpus share. A name shows what the text is about.

/** What distinguishes heads of the same status. */
const headWords: [RegExp, string][] = [
	[/^content-type: (?:text|image)\/(\w+)/m, "$1"],
	[/^location:/m, "Location"],
	[/^link:/m, "Link"],
	[/^etag:/m, "ETag"],
	[/^content-encoding: (\w+)/m, "$1"],
	[/^content-length: <own>/m, "no body"],
	[/^deprecation:/m, "deprecated"],
	[/^idempotency-replayed:/m, "replayed"],
	[/ error="(\w+)"/, "$1"],
	[/ scope="(\S+)"/, "$1"],
	[/^allow: (.*)/m, "$1"],
	[/^accept(?:-encoding)?: (.*)/m, "accepts $1"],
	[/^ratelimit-policy: "key";q=(\d+)/m, "rate of $1"],
	[/^vary: .*Origin$/m, "varies with Origin"],
	[/^access-control-allow-origin: (.*)/m, "for $1"],
	[/^access-control-(?:allow-methods|max-age):/m, "preflight"],
	[/^x-request-id: <own>/m, "id of the client"],
	[/^strict-transport-security:/m, "https"],
	[/^cache-control: no-cache/m, "no-cache"],
	[/^Connection: close/m, "close"],
	[/^connection: close/m, "close by the service"],
	[/^date:/m, "written to the socket"],
];

const wordsMax = 100;
const [messageMax, clauseMax] = [56, 24];

const cut = (text: string, max: number) => (text.length > max ? `${text.slice(0, max)}…` : text);

/** Texts that are alike can get the same words. */
export function wordsFor(text: string): string {
	const words = ofHead(text) ?? ofLinks(text) ?? ofList(text) ?? ofFailure(text) ?? text;
	return cut(words, wordsMax);
}

/** As in `200 OK, Link, ETag, rate of 50`. */
function ofHead(text: string): string | undefined {
	const [, status] = /^HTTP\/1\.1 (.*)/.exec(text) ?? [];
	if (status === undefined) return undefined;
	const words = headWords.flatMap(([pattern, word]) => {
		const found = pattern.exec(text);
		return found ? [word.replace("$1", found[1] ?? "")] : [];
	});
	return [status, ...words].join(", ");
}

/** As in `http://a/v1/pets?limit=4: first, next 5, last`. A number is the id in the cursor. */
function ofLinks(text: string): string | undefined {
	const [, target] = /^<(.+?)>; rel=/.exec(text) ?? [];
	if (target === undefined) return undefined;
	const links = [...text.matchAll(/<.*?(?:cursor=\{cursor (?:last ?)?([^}]*)\})?>; rel="([\w-]+)"/g)];
	return `${target}: ${links.map(([, cursor = "", relation]) => `${relation} ${cursor}`.trim()).join(", ")}`;
}

/** As in `animals 1-4`, or `animals 4, 7, 9`. */
function ofList(text: string): string | undefined {
	if (!text.startsWith('[{"id":')) return undefined;
	const ids = [...text.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));
	const isRow = ids.every((id, index) => index === 0 || id === Number(ids[index - 1]) + 1);
	return `animals ${isRow ? `${ids[0]}-${ids.at(-1)}` : ids.join(", ")}`;
}

/** Codes with several messages. */
const withMessage =
	/^(invalid_(json|body|parameter|cursor)|malformed_request|unknown_parameter|\w+_too_large|method_not_allowed|insufficient_scope|unsupported_media_type)$/;
/** What all messages of a code have in common. */
const common =
	/^(the body must be one JSON value in UTF-8:|this is not valid HTTP\/1\.1:|unknown query parameter|this API key lacks the scope) | in JSON(?= at)| \(line .*\)$/g;

/** As in `invalid_json: it is empty`. */
function ofFailure(text: string): string | undefined {
	const [, code, message = ""] = /^\{"code":"(\w+)","message":"(.*)","status":\d+\}$/.exec(text) ?? [];
	if (code === undefined || !withMessage.test(code)) return code;
	const clauses = message.replaceAll(common, "").replaceAll('\\\\"', '"').split("; ");
	return `${code}: ${clauses.map((clause) => cut(clause, clauses.length > 1 ? clauseMax : messageMax)).join("; ")}`;
}
