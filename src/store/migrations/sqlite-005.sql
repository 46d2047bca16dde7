-- A new store. postgres-005.sql says what each table is for.

-- Animals. AUTOINCREMENT: an id is never used twice, not even that of a removed newest row.
CREATE TABLE pets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  status TEXT CHECK (status IN ('available', 'pending', 'sold'))
) STRICT;
CREATE INDEX pets_by_status ON pets (status, id) WHERE status IS NOT NULL;

CREATE TABLE idempotency_keys (
  caller TEXT NOT NULL,
  key TEXT NOT NULL,
  pet_id INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  UNIQUE (caller, key)
) STRICT;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at_ms);
CREATE INDEX idempotency_keys_by_pet ON idempotency_keys (pet_id);

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  rate TEXT,
  created_at_ms INTEGER NOT NULL,
  revoked_at_ms INTEGER
) STRICT;

CREATE TABLE secrets (
  hash TEXT PRIMARY KEY,
  key_id TEXT NOT NULL REFERENCES keys (id),
  number INTEGER NOT NULL,
  last4 TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER,
  UNIQUE (key_id, number)
) STRICT;

CREATE TABLE key_uses (
  key_id TEXT NOT NULL,
  operation TEXT NOT NULL,
  last_used_at_ms INTEGER NOT NULL,
  PRIMARY KEY (key_id, operation)
) STRICT;

-- What operators changed and removed: one row for each edit, without names, so that a removed name is not kept here. Ids
-- have no gaps and ascend in commit order: the largest one is the number of edits. A name that a rename or a removal has
-- replaced may be left in unused space of the file until erased_at_ms.
CREATE TABLE edits (
  id INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  editor TEXT NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('set-status', 'rename', 'remove')),
  pet_id INTEGER NOT NULL,
  from_status TEXT CHECK (from_status IN ('available', 'pending', 'sold')),
  to_status TEXT CHECK (to_status IN ('available', 'pending', 'sold')),
  erased_at_ms INTEGER
) STRICT;
CREATE INDEX edits_by_pet ON edits (pet_id);
CREATE INDEX edits_to_erase ON edits (id) WHERE erased_at_ms IS NULL AND action <> 'set-status';

CREATE TABLE leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, until_ms INTEGER NOT NULL) STRICT;

CREATE TABLE settings (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;
INSERT INTO settings VALUES ('cursor_secret', randomblob(32));
