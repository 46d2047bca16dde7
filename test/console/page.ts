// The parts of the console's page, as a person finds them.

import type { Page } from "playwright-core";

export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
export const account = (page: Page) => page.getByRole("button", { name: /^Account: / });
export const isSignedIn = (page: Page) => account(page).waitFor();
export const isSignedOut = (page: Page) => page.getByLabel("API key").waitFor();
export const panel = (page: Page, name: string) => page.getByRole("complementary", { name, exact: true });
export const toast = (page: Page) => page.locator(".toast p");
/** The message with exactly this text. */
export const message = (page: Page, text: string | RegExp) => toast(page).getByText(text, { exact: true });
/** A row of the list, found by the animal's name. */
export const row = (page: Page, name: string) => page.getByRole("rowheader", { name, exact: true });
/** The status in the row of an animal, as `Rex: sold`. */
export const inTable = (page: Page, text: string) =>
	page.locator("tbody").getByRole("button", { name: `Status of ${text}` });
export const focused = (page: Page) => page.evaluate<string>("document.activeElement.innerText");
/** The names on the page, from its first row to its last. */
export const namesOn = (page: Page) => page.locator("tbody th.name").allTextContents();
/** Whether the browser would leave the page without asking. */
export const mayLeave = (page: Page) => page.evaluate('dispatchEvent(new Event("beforeunload", { cancelable: true }))');
