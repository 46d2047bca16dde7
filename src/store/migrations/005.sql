-- The tables of a new store that are the same in both engines. Engines with shards also accept these statements.
-- For SQLite, each table is STRICT and BIGINT is INTEGER (src/store/migrations.ts).

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  rate TEXT,
  created_at_ms BIGINT NOT NULL,
  revoked_at_ms BIGINT
);

-- While a replaced secret is in its grace period, a key has several secrets: the newest has the largest number.
CREATE TABLE secrets (
  hash TEXT PRIMARY KEY,
  key_id TEXT NOT NULL REFERENCES keys (id),
  number INTEGER NOT NULL,
  last4 TEXT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  expires_at_ms BIGINT,
  UNIQUE (key_id, number)
);

-- Changes and removals by operators: one row for each edit, without names, so that no removed name is kept here. Ids
-- have no gaps and ascend in commit order: the largest id is the number of edits. erased_at_ms is no longer used.
CREATE TABLE edits (
  id BIGINT PRIMARY KEY,
  at_ms BIGINT NOT NULL,
  editor TEXT NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('set-status', 'rename', 'remove')),
  pet_id BIGINT NOT NULL,
  from_status TEXT CHECK (from_status IN ('available', 'pending', 'sold')),
  to_status TEXT CHECK (to_status IN ('available', 'pending', 'sold')),
  erased_at_ms BIGINT
);
CREATE INDEX edits_by_pet ON edits (pet_id);
CREATE INDEX edits_to_erase ON edits (id) WHERE erased_at_ms IS NULL AND action <> 'set-status';

-- The process that does some work once for a store, and the time until which no other process may begin this work.
CREATE TABLE leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, until_ms BIGINT NOT NULL);
