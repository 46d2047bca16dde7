import type { PetStatus } from "../../client/src/index.ts";
import type { Session } from "./session.ts";
export function ExportMenu(_: { session: Session; status: PetStatus | undefined }) { return null; }
