// The names of the heads and bodies that replies of the corpus share. A name shows what the text is about.

/** Fields that most replies have, with the value that most have. */
const plainFields = new RegExp(
	"^(?:date|keep-alive|content-(?:length|security-policy)|x-content-type-options|referrer-policy|permissions-policy|" +
		"cross-origin-|access-control-expose|x-request-id: <new>|connection: keep|cache-control: no-store|.*/json$)",
	"i",
);
const wordsMax = 100;

/** Texts that are alike can get the same words. */
export function wordsFor(text: string): string {
	const words = ofHead(text) ?? ofLinks(text) ?? ofList(text) ?? ofFailure(text) ?? text;
	return words.length > wordsMax ? `${words.slice(0, wordsMax)}…` : words;
}

/** As in `200 OK, vary: Origin, connection: close`. */
function ofHead(text: string): string | undefined {
	if (!text.startsWith("HTTP/1.1 ")) return undefined;
	const [status = "", ...fields] = text.slice("HTTP/1.1 ".length).split("\n");
	return [status, ...fields.filter((field) => !plainFields.test(field)).map((field) => field.slice(0, 24))].join(", ");
}

/** As in `http://a/v1/pets?limit=4: first, next 5, last`. A number is the id in the cursor. */
function ofLinks(text: string): string | undefined {
	const [, target] = /^<(.+?)>; rel=/.exec(text) ?? [];
	if (target === undefined) return undefined;
	const links = [...text.matchAll(/<.*?(?:cursor=\{cursor (?:last ?)?([^}]*)\})?>; rel="([\w-]+)"/g)];
	return `${target}: ${links.map(([, cursor = "", relation]) => `${relation} ${cursor}`.trim()).join(", ")}`;
}

/** As in `animals 4, 7, 9`. */
function ofList(text: string): string | undefined {
	return text.startsWith('[{"id":') ? `animals ${text.match(/(?<="id":)\d+/g)?.join(", ")}` : undefined;
}

/** As in `invalid_json: it is empty`. */
function ofFailure(text: string): string | undefined {
	const [, code, message] = /^\{"code":"(\w+)","message":"(.*)","status":\d+\}$/.exec(text) ?? [];
	return code && `${code}: ${message}`;
}
