// Headers on every reply that keep browsers from guessing and framing (OWASP REST security).

/**
 * The policy of a page for people: scripts of this service only and none inside the page, no calls to any other host,
 * no frames around it, no other site's window or page that holds on to it, and none of the device's sensors.
 * @param styles what its styles may be, in the words of Content-Security-Policy
 */
export function pagePolicy(styles: string): Record<string, string> {
	const policy = [
		"default-src 'none'",
		"script-src 'self'",
		`style-src ${styles}`,
		"img-src 'self' data:",
		"connect-src 'self'",
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
	].join("; ");
	return {
		"content-security-policy": policy,
		"cross-origin-opener-policy": "same-origin",
		"cross-origin-resource-policy": "same-origin",
		"permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
	};
}

/** @param baseUrl where the service is known to be reached by https, browsers are told to stay there */
export function securityHeaders(baseUrl: string | undefined): Record<string, string> {
	return {
		"x-content-type-options": "nosniff",
		"content-security-policy": "default-src 'none'; frame-ancestors 'none'",
		"referrer-policy": "no-referrer",
		...(baseUrl?.startsWith("https:") && { "strict-transport-security": "max-age=31536000" }),
	};
}
