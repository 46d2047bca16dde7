/** The address of the service with the prefix that a proxy may add, without a final slash: the page is at …/console. */
export const root = new URL(".", location.href).href.replace(/\/$/, "");
