-- What an Idempotency-Key of a caller stands for: the id of its animal, and a fingerprint of what was asked for, so that nothing
-- that later becomes of the animal changes the reply to a retry. The fingerprint is that of src/store/idempotency.ts.
CREATE TABLE idempotency_keys (
  caller TEXT NOT NULL,
  key TEXT NOT NULL,
  pet_id BIGINT NOT NULL,
  fingerprint TEXT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  PRIMARY KEY (caller, key)
);
INSERT INTO idempotency_keys (caller, key, pet_id, fingerprint, created_at_ms)
SELECT r.caller, r.key, r.pet_id,
  encode(sha256(convert_to(p.category_id || ' ' || coalesce(p.status, '-') || ' ' || p.name, 'UTF8')), 'hex'),
  r.created_at_ms
FROM retries r JOIN pets p ON p.id = r.pet_id;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at_ms);
DROP TABLE retries;
