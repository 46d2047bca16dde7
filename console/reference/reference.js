// The script of the reference page: this server's address in samples, tabs, copy buttons, and the contents.

const base = new URL(".", location.href).href.replace(/\/$/, "");
const every = (selector, visit, root = document) => root.querySelectorAll(selector).forEach(visit);

/** Replaces the default address in the samples with the address of this page. */
function nameThisServer(node) {
	for (const child of node.childNodes) nameThisServer(child);
	if (node.nodeType === Node.TEXT_NODE) node.data = node.data.replaceAll("http://127.0.0.1:8080", base);
}
every("pre code", nameThisServer);

/** Chooses a language for all samples. */
function choose(label) {
	every('[role="tab"]', (tab) => {
		const isChosen = tab.dataset.label === label;
		tab.setAttribute("aria-selected", String(isChosen));
		tab.tabIndex = isChosen ? 0 : -1;
		document.getElementById(tab.getAttribute("aria-controls")).hidden = !isChosen;
	});
}

/** Chooses the tab's language. The tab stays in place on the screen, even if samples above it change their height. */
function chooseAt(tab) {
	const before = tab.getBoundingClientRect().top;
	choose(tab.dataset.label);
	scrollBy({ top: tab.getBoundingClientRect().top - before });
}

every('[role="tablist"]', (list) => {
	const tabs = [...list.children];
	list.addEventListener("click", ({ target }) => tabs.includes(target) && chooseAt(target));
	list.addEventListener("keydown", (event) => {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
		if (!step) return;
		event.preventDefault();
		const next = tabs.at((tabs.indexOf(event.target) + step) % tabs.length);
		chooseAt(next);
		next.focus({ preventScroll: true });
	});
});

every(".code", (box) => {
	const code = box.querySelector("code");
	const button = Object.assign(document.createElement("button"), { type: "button", className: "copy" });
	button.textContent = "Copy";
	button.addEventListener("click", async () => {
		// Without https, pages cannot use the clipboard: then the text is only selected, ready to copy.
		if (navigator.clipboard) await navigator.clipboard.writeText(code.textContent);
		else getSelection().selectAllChildren(code);
		button.textContent = navigator.clipboard ? "Copied" : "Selected";
		setTimeout(() => {
			button.textContent = "Copy";
		}, 1500);
	});
	box.append(button);
});

const contents = document.getElementById("contents");
contents.addEventListener("click", ({ target }) => {
	if (target.closest("a") && contents.matches(":popover-open")) contents.hidePopover();
});
const links = new Map([...contents.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
const onScreen = new Set();
const observer = new IntersectionObserver(
	(entries) => {
		for (const { target, isIntersecting } of entries) onScreen[isIntersecting ? "add" : "delete"](target.id);
		const current = [...links.keys()].find((id) => onScreen.has(id));
		if (!current) return;
		for (const link of links.values()) link.removeAttribute("aria-current");
		links.get(current).setAttribute("aria-current", "true");
	},
	{ rootMargin: "-80px 0px -60% 0px" },
);
for (const id of links.keys()) observer.observe(document.getElementById(id));
