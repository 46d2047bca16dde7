-- What an Idempotency-Key of a caller stands for: the id of its animal, and a fingerprint of what was asked for, so that nothing
-- that later becomes of the animal changes the reply to a retry. The fingerprint is that of src/store/idempotency.ts.
CREATE TABLE idempotency_keys (
  caller TEXT NOT NULL,
  key TEXT NOT NULL,
  pet_id INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  UNIQUE (caller, key)
) STRICT;
-- SQLite has no sha256: sqlite-file.ts gives it one.
INSERT INTO idempotency_keys (caller, key, pet_id, fingerprint, created_at_ms)
SELECT r.caller, r.key, r.pet_id,
  sha256(p.category_id || ' ' || coalesce(p.status, '-') || ' ' || p.name),
  r.created_at_ms
FROM retries r JOIN pets p ON p.id = r.pet_id;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at_ms);
DROP TABLE retries;
