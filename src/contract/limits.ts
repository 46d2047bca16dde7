// The limits of a request. Larger requests are refused; the messages and the documents name these limits.

/** Largest request body, in bytes. */
export const bodyMaxBytes = 64 * 1024;
/** Deepest nesting of objects and arrays in a request body. */
export const bodyMaxDepth = 64;
/** Bytes of all request headers together. */
export const headersMaxBytes = 16 * 1024;
export const headersMaxCount = 200;
/** Characters of a request target. */
export const urlMaxLength = 12 * 1024;
