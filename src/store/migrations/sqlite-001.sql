-- Animals. AUTOINCREMENT: an id is never used twice, not even that of a removed newest row.
CREATE TABLE pets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  status TEXT CHECK (status IN ('available', 'pending', 'sold'))
) STRICT;
CREATE INDEX pets_by_status ON pets (status, id) WHERE status IS NOT NULL;

-- Which animal an Idempotency-Key of a caller stands for.
CREATE TABLE retries (
  caller TEXT NOT NULL,
  key TEXT NOT NULL,
  pet_id INTEGER NOT NULL REFERENCES pets (id),
  created_at_ms INTEGER NOT NULL,
  UNIQUE (caller, key)
) STRICT;
CREATE INDEX retries_by_age ON retries (created_at_ms);

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  rate TEXT,
  created_at_ms INTEGER NOT NULL,
  revoked_at_ms INTEGER,
  last_used_at_ms INTEGER,
  get_pet_used_at_ms INTEGER
) STRICT;

-- A key has several secrets while a rotated one is in its grace period; the one with the largest number is the newest.
CREATE TABLE secrets (
  hash TEXT PRIMARY KEY,
  key_id TEXT NOT NULL REFERENCES keys (id),
  number INTEGER NOT NULL,
  last4 TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER,
  UNIQUE (key_id, number)
) STRICT;

CREATE TABLE settings (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;
INSERT INTO settings VALUES ('cursor_secret', randomblob(32));
