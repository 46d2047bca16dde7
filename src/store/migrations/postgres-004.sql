-- What operators changed and removed: one row for each edit, without names, so that a removed name is not kept here. Ids
-- come from a counter row, which an edit holds until its commit: they have no gaps and ascend in commit order.
CREATE TABLE edits (
  id BIGINT PRIMARY KEY,
  at_ms BIGINT NOT NULL,
  editor TEXT NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('set-status', 'rename', 'remove')),
  pet_id BIGINT NOT NULL,
  from_status TEXT CHECK (from_status IN ('available', 'pending', 'sold')),
  to_status TEXT CHECK (to_status IN ('available', 'pending', 'sold'))
);
CREATE INDEX edits_by_pet ON edits (pet_id);
INSERT INTO counters VALUES ('edits', 0);
