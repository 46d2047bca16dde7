// The numbers of animals by status.

import type { Totals } from "../../src/contract/activity.ts";

export function totalOf({ available, pending, sold, none }: Totals): number {
	return available + pending + sold + none;
}
