// What both engines need to know of edits.

/** The edits whose replaced names may still be in unused space of the store (SQL). */
export const isToErase = "erased_at_ms IS NULL AND action <> 'set-status'";
