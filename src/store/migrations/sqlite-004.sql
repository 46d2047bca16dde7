-- What operators changed and removed: one row for each edit, without names, so that a removed name is not kept here. Ids
-- have no gaps and ascend in commit order: the largest one is the number of edits.
CREATE TABLE edits (
  id INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  editor TEXT NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('set-status', 'rename', 'remove')),
  pet_id INTEGER NOT NULL,
  from_status TEXT CHECK (from_status IN ('available', 'pending', 'sold')),
  to_status TEXT CHECK (to_status IN ('available', 'pending', 'sold'))
) STRICT;
CREATE INDEX edits_by_pet ON edits (pet_id);
