// The description of the OpenAPI document: what every caller should know, in six chapters. Generators copy it into
// comments and strings of many languages, so it has no backslashes and nothing that ends a comment
// (test/contract/openapi.test.ts).

import { curlForFirst, curlOf } from "../src/contract/curl.ts";
import { getPetDeprecation } from "../src/contract/deprecation.ts";
import { errorCodes, errors as errorsByCode } from "../src/contract/errors.ts";
import { bodyMaxBytes } from "../src/contract/limits.ts";
import { idempotencyHours, limitDefault, limitMax } from "../src/contract/operations.ts";

const start = `## Start in one minute

Every operation needs an API key. The first start of the service prints a key; later, its operator creates more with \
\`animal-store keys create\`. Give your shell the address of the service and the key:

\`\`\`sh
export ANIMAL_STORE_URL=http://127.0.0.1:8080
export ANIMAL_STORE_KEY=pets_…
\`\`\`

Add an animal, then list all animals:

\`\`\`sh
${curlForFirst("$ANIMAL_STORE_URL/v1/pets").join(" ")}
${curlOf("$ANIMAL_STORE_URL/v1/pets").join(" ")}
\`\`\`

The service adds the \`id\`:

\`\`\`json
[{"id":1,"name":"Rex","categoryId":1}]
\`\`\`

Requests and replies are JSON in UTF-8. The list is a bare array, and its paging is in headers. A request body has at \
most ${bodyMaxBytes / 1024} KiB. All samples below read the same two variables.`;

const authentication = `## Authentication and scopes

Send the key with every request: \`Authorization: Bearer pets_…\`. A key in the URL is never read. A key has one or \
more scopes:

| scope | allows |
|---|---|
| \`pets:read\` | listing animals and getting one |
| \`pets:write\` | adding animals |
| \`metrics:read\` | the charts of the server in the console |

- **401** \`missing_credential\`: there is no key. **401** \`invalid_credential\`: the key does not work. The service \
does not say whether a key is unknown, mistyped, revoked or expired.
- **403** \`insufficient_scope\`: the key works, but lacks the scope that the message names.
- A key may have an expiry and a rate. With a rate, every reply has \`RateLimit-Policy\` and \`RateLimit\`, and too \
many requests get **429** with \`Retry-After\`.
- A key that is revoked stops working within a second. When a key is rotated, the old one works until its grace \
period ends.
- A page of another origin may call the service only if the operator has allowed that origin.`;

const paging = `## Paging

A page has ${limitDefault} animals, or up to ${limitMax} with \`limit\`. The links to other pages are in the \
\`Link\` header (RFC 8288):

\`\`\`http
Link: <http://127.0.0.1:8080/v1/pets?cursor=pWm1ZfGk4Yb0vXq3>; rel="next"
\`\`\`

| link | leads to |
|---|---|
| \`next\` | the animals that follow; absent at the end of the list |
| \`prev\` | the animals that precede; absent at the beginning |
| \`first\` | the oldest animals |
| \`last\` | the newest animals, always at the same URL |

- **Read everything**: follow \`next\` unchanged until a reply has none. Animals are listed by ascending id, and \
animals added in the meantime have larger ids: nothing is skipped, and nothing is seen twice.
- **Learn what is new**: request the \`last\` page again with its \`ETag\` in \`If-None-Match\`. 304 means that \
nothing is new. After 200, follow \`prev\` to an id that you know, or to a smaller one.
- A page that has a next page changes only when the operator of the service changes or removes an animal. A link can \
then lead to an empty page. The other animals are neither skipped nor seen twice.
- A cursor belongs to its \`status\` filter. With another filter it gets 400 \`invalid_cursor\`. So does a cursor \
past the newest animal, as after a restore from a backup: start again, because new animals get ids before that cursor.`;

const retries = `## Safe retries

A reply can get lost after the animal was added. Send an \`Idempotency-Key\` with each create, a new random string for \
each animal. If no reply arrives, send the same request with the same key again. Within ${idempotencyHours} hours, \
this adds only one animal, and every repetition gets the first reply, byte for byte, with \
\`Idempotency-Replayed: true\`.

- Repeat after no reply, 408, 429 and 503. Wait as many seconds as \`Retry-After\` says, or a growing pause.
- Do not repeat other 4xx: fix the request. A refused request stores nothing, so its Idempotency-Key is still free.
- The same Idempotency-Key with another body gets 422 \`idempotency_key_reused\`.
- Idempotency-Keys are scoped to the API key. They stay valid when that key is rotated.
- Reads are always safe to repeat.`;

const errors = `## Errors

Every failure is a JSON object with these three fields:

\`\`\`json
{ "code": "pet_not_found", "message": "there is no animal with this id", "status": 404 }
\`\`\`

Act on \`code\`. Its meaning never changes, but codes may be added: treat a code that you do not know by its \
\`status\`. The \`message\` is for people: it names the field and the fix, and may change. \`X-Request-Id\` of the \
reply identifies the request in the log of the service.

${errorTable()}`;

/** All codes as a table in Markdown. */
export function errorTable(): string {
	const rows = errorCodes.map((code) => {
		const { status, when, fix } = errorsByCode[code];
		return `| \`${code}\` | ${status} | ${when} | ${fix} |`;
	});
	return ["| code | status | when | what to do |", "|---|---|---|---|", ...rows].join("\n");
}

const exactness = `## Exact numbers and versions

**Numbers.** \`id\` and \`categoryId\` are 64-bit integers, and the service never rounds them. JavaScript's numbers \
and \`JSON.parse\` round integers beyond 2^53; so do some tools that are written in JavaScript. Python's \`int\` and \
Go's \`int64\` are exact. In JavaScript and TypeScript, use \`@animal-store/client\`.

**Versions.** The version is in the path: \`/v1\`. It changes by additions only: ignore fields and headers that you do \
not know. A change that could break a client gets a new path. A deprecated operation says so in every reply, with \
\`Deprecation\`, \`Sunset\` and \`Link\`, and answers 410 from its sunset on. The sunset of \`getPet\` is \
${getPetDeprecation.sunsetDay}; its replacement is ${getPetDeprecation.successor.call}.

**Headers.** Every reply also has headers that are not repeated below: \`Date\`, \`Connection\`, \`Keep-Alive\`, \
\`Content-Length\` and \`Content-Encoding\` of HTTP; \`X-Content-Type-Options\`, \`Content-Security-Policy\` and \
\`Referrer-Policy\`, and \`Strict-Transport-Security\` behind an https address, for browsers; and where pages of other \
origins may call the service, \`Vary: Origin\`, \`Access-Control-Allow-Origin\` and \`Access-Control-Expose-Headers\`. \
The log of the service has the trace id of a request with \`traceparent\` (W3C Trace Context).`;

export const introduction = [start, authentication, paging, retries, errors, exactness].join("\n\n");
