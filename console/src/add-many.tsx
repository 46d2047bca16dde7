import type { Session } from "./session.ts";
export function AddMany(_: { session: Session }) { return null; }
