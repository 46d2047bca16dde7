// Sends the request of a form on the reference page to the page's server. The API key is only in the fields; if the
// console keeps a key for this tab, the fields contain that key. Replies are shown as text and never parsed, so no
// integer is rounded.

const keyName = "animal-store.key";
const forms = [...document.querySelectorAll("form.try")];
const keyFields = forms.map((form) => form.elements.namedItem("key"));

/** The key that `console/src/kept-key.ts` keeps for this tab; empty if there is none. */
function keptKey() {
	try {
		const { key, signOuts } = JSON.parse(sessionStorage.getItem(keyName));
		return signOuts === (localStorage.getItem("animal-store.sign-outs") ?? "0") ? key : "";
	} catch {
		return "";
	}
}

function fillIn(key) {
	for (const field of keyFields) field.value = key;
}

fillIn(keptKey());
for (const field of keyFields) {
	field.addEventListener("input", () => {
		fillIn(field.value);
		field.removeAttribute("aria-invalid");
	});
}
new BroadcastChannel(keyName).addEventListener("message", ({ data }) => {
	if (data !== "sign-out") return;
	sessionStorage.removeItem(keyName);
	fillIn("");
});

/** A random Idempotency-Key. `crypto.randomUUID` needs https. */
function newIdempotencyKey() {
	return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** JSON text with line breaks added and digits unchanged. */
function indented(text) {
	let depth = 0;
	const line = () => `\n${"  ".repeat(depth)}`;
	return text.replace(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g, (token, index) => {
		if (token === "{" || token === "[") {
			if (/^\s*[}\]]/.test(text.slice(index + 1))) return token;
			depth++;
			return token + line();
		}
		if (token === "}" || token === "]") {
			if (/[{[]\s*$/.test(text.slice(0, index))) return token;
			depth--;
			return line() + token;
		}
		if (token === ",") return token + line();
		return token === ":" ? ": " : token;
	});
}

/** The parts of JSON text, as elements in the colours of the page. */
function coloured(text) {
	return text.split(/("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)/).map((part, index) => {
		if (index % 2 === 0) return part;
		const className = part.startsWith('"') ? "t-text" : "t-number";
		return Object.assign(document.createElement("span"), { className, textContent: part });
	});
}

/** The request that a form describes, without the API key. */
function requestOf(form) {
	const fields = [...form.elements].filter(({ dataset, value }) => dataset.in && value !== "");
	const valuesIn = (place) =>
		fields.filter(({ dataset }) => dataset.in === place).map(({ name, value }) => [name, value]);
	const path = valuesIn("path").reduce(
		(filled, [name, value]) => filled.replace(`{${name}}`, encodeURIComponent(value)),
		form.dataset.path,
	);
	const query = new URLSearchParams(valuesIn("query"));
	const url = new URL(`v1${path}${query.size > 0 ? `?${query}` : ""}`, location.href);
	const body = form.elements.namedItem("body")?.value;
	const headers = Object.fromEntries(valuesIn("header"));
	return { url, method: form.dataset.method, headers, body };
}

const replayed = ": the first reply again. To add another animal, change the body or the Idempotency-Key.";

async function send(form, { url, method, headers, body }) {
	const key = form.elements.namedItem("key");
	if (key.value.trim() === "") {
		key.setAttribute("aria-invalid", "true");
		key.focus();
		return show(form, { status: "", text: "Paste your API key first." });
	}
	show(form, { status: "…", text: `${method} ${url.pathname}${url.search}` });
	const startedAt = performance.now();
	try {
		const reply = await fetch(url, {
			method,
			body,
			cache: "no-store",
			headers: {
				...headers,
				...(body && { "Content-Type": "application/json" }),
				Authorization: `Bearer ${key.value.trim()}`,
			},
		});
		const text = await reply.text();
		const ms = Math.round(performance.now() - startedAt);
		const note = reply.headers.has("idempotency-replayed") ? replayed : "";
		show(form, { status: String(reply.status), text: `${reply.statusText} in ${ms} ms${note}`, reply, body: text });
		if (reply.ok) suggestId(text);
	} catch {
		show(form, { status: "0", text: "No reply: the service is not reachable." });
	}
}

function show(form, { status, text, reply, body }) {
	const outcome = form.querySelector(".outcome");
	const pill = Object.assign(document.createElement("span"), { className: `status s${status.charAt(0)}` });
	pill.textContent = status === "0" ? "–" : status;
	outcome.replaceChildren(...(status ? [pill] : []), text);
	if (body === undefined) return;
	form.querySelector(".reply > pre code").replaceChildren(...(body === "" ? ["(no body)"] : coloured(indented(body))));
	const details = form.querySelector("details");
	details.hidden = false;
	details.querySelector("code").textContent = [...reply.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
	form.querySelector(".links").replaceChildren(...linksOf(reply).map((link) => followButton(form, link)));
}

function linksOf(reply) {
	const links = [...(reply.headers.get("link") ?? "").matchAll(/<([^>]*)>; rel="(first|prev|next|last)"/g)];
	return links.map(([, url, name]) => ({ url: new URL(url), name }));
}

/** Behind a proxy, a link may have another scheme, so only its query is used: the page may call only its own server. */
function followButton(form, { url, name }) {
	const button = Object.assign(document.createElement("button"), { type: "button", textContent: name });
	const here = new URL(`v1/pets${url.search}`, location.href);
	button.addEventListener("click", () => {
		form.querySelector(".outcome").scrollIntoView({ block: "nearest" });
		send(form, { ...requestOf(form), url: here });
	});
	return button;
}

/** Fills in the id of the first animal of a reply. */
function suggestId(text) {
	const [, id] = /"id":(\d+)/.exec(text) ?? [];
	for (const form of forms) {
		const field = form.elements.namedItem("petId");
		if (id && field && !field.dataset.isTouched) field.value = id;
	}
}

for (const form of forms) {
	form.elements.namedItem("petId")?.addEventListener("input", ({ target }) => {
		target.dataset.isTouched = "true";
	});
	const idempotencyKey = form.elements.namedItem("Idempotency-Key");
	// Sending the same animal again with the same Idempotency-Key gets the same reply; another animal needs a new key.
	const renew = () => {
		if (idempotencyKey) idempotencyKey.value = newIdempotencyKey();
	};
	renew();
	form.elements.namedItem("body")?.addEventListener("input", renew);
	form.addEventListener("submit", (event) => {
		event.preventDefault();
		send(form, requestOf(form));
	});
}
