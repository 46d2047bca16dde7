-- The other tables of a new store, each STRICT (src/store/migrations.ts). postgres-005.sql explains them.

-- Animals. AUTOINCREMENT: no id is used twice, not even the newest id after the removal of its row.
CREATE TABLE pets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  status TEXT CHECK (status IN ('available', 'pending', 'sold'))
);
CREATE INDEX pets_by_status ON pets (status, id) WHERE status IS NOT NULL;

CREATE TABLE idempotency_keys (
  caller TEXT NOT NULL,
  key TEXT NOT NULL,
  pet_id INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  UNIQUE (caller, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at_ms);
CREATE INDEX idempotency_keys_by_pet ON idempotency_keys (pet_id);

CREATE TABLE key_uses (
  key_id TEXT NOT NULL,
  operation TEXT NOT NULL,
  last_used_at_ms INTEGER NOT NULL,
  PRIMARY KEY (key_id, operation)
);

CREATE TABLE settings (name TEXT PRIMARY KEY, value BLOB NOT NULL);
INSERT INTO settings VALUES ('cursor_secret', randomblob(32));
