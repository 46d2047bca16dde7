// Starts the API reference in the reader's browser: requests go to the server that sent the page, the key stays in
// memory, and nothing is asked of any other host.

const here = (path) => new URL(path, location.href).href;

/** All but curl; TypeScript, Python and Go come with the document. */
const hiddenClients = [
	...[
		"c",
		"clojure",
		"csharp",
		"dart",
		"fsharp",
		"go",
		"http",
		"java",
		"js",
		"julia",
		"kotlin",
		"node",
		"objc",
		"ocaml",
	],
	...["php", "powershell", "python", "r", "ruby", "rust", "swift", "shell/wget", "shell/httpie"],
];

globalThis.Scalar.createApiReference("#reference", {
	url: here("openapi.json"),
	servers: [{ url: here("v1"), description: "This server" }],
	authentication: { preferredSecurityScheme: "apiKey" },
	hiddenClients,
	defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
	generateOperationSlug: ({ operationId }) => operationId,
	defaultOpenAllTags: true,
	showOperationId: true,
	documentDownloadType: "direct",
	hideClientButton: true,
	withDefaultFonts: false,
	showDeveloperTools: "never",
	telemetry: false,
	agent: { disabled: true },
	mcp: { disabled: true },
});
