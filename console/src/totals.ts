// The numbers of animals by status.

import type { Activity } from "../../src/contract/activity.ts";

export type Totals = Activity["animals"];

export function totalOf({ available, pending, sold, none }: Totals): number {
	return available + pending + sold + none;
}
