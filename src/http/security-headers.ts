// Headers on every reply that forbid content sniffing and framing in browsers (OWASP REST security).

/**
 * The policy of an HTML page: scripts of this service only and none inline, no calls to other hosts, no framing, no
 * access by windows or pages of other sites, and none to the device's sensors.
 * @param styles the sources of the directive style-src
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

/** @param baseUrl an https address adds Strict-Transport-Security */
export function securityHeaders(baseUrl: string | undefined): Record<string, string> {
	return {
		"x-content-type-options": "nosniff",
		"content-security-policy": "default-src 'none'; frame-ancestors 'none'",
		"referrer-policy": "no-referrer",
		...(baseUrl?.startsWith("https:") && { "strict-transport-security": "max-age=31536000" }),
	};
}
