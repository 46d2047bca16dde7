// Headers on every reply that keep browsers from guessing and framing (OWASP REST security).

/** @param baseUrl where the service is known to be reached by https, browsers are told to stay there */
export function securityHeaders(baseUrl: string | undefined): Record<string, string> {
	return {
		"x-content-type-options": "nosniff",
		"content-security-policy": "default-src 'none'; frame-ancestors 'none'",
		"referrer-policy": "no-referrer",
		...(baseUrl?.startsWith("https:") && { "strict-transport-security": "max-age=31536000" }),
	};
}
