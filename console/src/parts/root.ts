// Where the service is, as the browser sees it. The page is at …/console, without a final slash.

/** The address of the service with the prefix that a proxy may add, without a final slash. */
export const root = new URL(".", location.href).href.replace(/\/$/, "");
