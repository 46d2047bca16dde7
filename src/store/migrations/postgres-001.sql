-- Animals. Ids come from the counter row, which a writer holds until its commit: a larger id is never visible before a
-- smaller one, whichever node wrote them. Sequences do not promise that.
CREATE TABLE counters (name TEXT PRIMARY KEY, last_id BIGINT NOT NULL);
INSERT INTO counters VALUES ('pets', 0);

CREATE TABLE pets (
  id BIGINT PRIMARY KEY,
  name TEXT NOT NULL,
  category_id BIGINT NOT NULL,
  status TEXT CHECK (status IN ('available', 'pending', 'sold'))
);
CREATE INDEX pets_by_status ON pets (status, id) WHERE status IS NOT NULL;

-- Which animal an Idempotency-Key of a caller stands for.
CREATE TABLE retries (
  caller TEXT NOT NULL,
  key TEXT NOT NULL,
  pet_id BIGINT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  PRIMARY KEY (caller, key)
);
CREATE INDEX retries_by_age ON retries (created_at_ms);

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  rate TEXT,
  created_at_ms BIGINT NOT NULL,
  revoked_at_ms BIGINT,
  last_used_at_ms BIGINT,
  get_pet_used_at_ms BIGINT
);

-- A key has several secrets while a rotated one is in its grace period; the one with the largest number is the newest.
CREATE TABLE secrets (
  hash TEXT PRIMARY KEY,
  key_id TEXT NOT NULL REFERENCES keys (id),
  number INTEGER NOT NULL,
  last4 TEXT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  expires_at_ms BIGINT,
  UNIQUE (key_id, number)
);

CREATE TABLE settings (name TEXT PRIMARY KEY, value BYTEA NOT NULL);
INSERT INTO settings VALUES ('cursor_secret', sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea));
