-- The other tables of a new store.

-- Ids of animals and edits come from a counter row, which a writer locks until its commit: a larger id is never visible
-- before a smaller one, whichever node wrote them. Sequences do not promise that.
CREATE TABLE counters (name TEXT PRIMARY KEY, last_id BIGINT NOT NULL);
INSERT INTO counters VALUES ('pets', 0), ('edits', 0);

CREATE TABLE pets (
  id BIGINT PRIMARY KEY,
  name TEXT NOT NULL,
  category_id BIGINT NOT NULL,
  status TEXT CHECK (status IN ('available', 'pending', 'sold'))
);
CREATE INDEX pets_by_status ON pets (status, id) WHERE status IS NOT NULL;

-- The create that used a caller's Idempotency-Key: the id of the animal, and a fingerprint of the request (see
-- src/store/idempotency.ts), so that later edits of the animal do not change the reply to a retry.
CREATE TABLE idempotency_keys (
  caller TEXT NOT NULL,
  key TEXT NOT NULL,
  pet_id BIGINT NOT NULL,
  fingerprint TEXT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  PRIMARY KEY (caller, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at_ms);
CREATE INDEX idempotency_keys_by_pet ON idempotency_keys (pet_id);

-- A column's statistics are samples of its values: names in the samples would outlive a removal. Citus refuses to turn
-- statistics off for a table that it manages (0A000): there, they keep the names until the next ANALYZE.
DO 'BEGIN ALTER TABLE pets ALTER COLUMN name SET STATISTICS 0; EXCEPTION WHEN feature_not_supported THEN NULL; END';
DO 'BEGIN ALTER TABLE idempotency_keys ALTER COLUMN fingerprint SET STATISTICS 0; EXCEPTION WHEN feature_not_supported THEN NULL; END';

-- When each operation was last called with a key.
CREATE TABLE key_uses (
  key_id TEXT NOT NULL REFERENCES keys (id),
  operation TEXT NOT NULL,
  last_used_at_ms BIGINT NOT NULL,
  PRIMARY KEY (key_id, operation)
);

CREATE TABLE settings (name TEXT PRIMARY KEY, value BYTEA NOT NULL);
INSERT INTO settings VALUES ('cursor_secret', sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea));
