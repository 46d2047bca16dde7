-- When each operation was last called with a key. Uses from before operations were told apart are those of 'unknown'.
CREATE TABLE key_uses (
  key_id TEXT NOT NULL,
  operation TEXT NOT NULL,
  last_used_at_ms INTEGER NOT NULL,
  PRIMARY KEY (key_id, operation)
) STRICT;
INSERT INTO key_uses SELECT id, 'unknown', last_used_at_ms FROM keys WHERE last_used_at_ms IS NOT NULL;
INSERT INTO key_uses SELECT id, 'getPet', get_pet_used_at_ms FROM keys WHERE get_pet_used_at_ms IS NOT NULL;
ALTER TABLE keys DROP COLUMN last_used_at_ms;
ALTER TABLE keys DROP COLUMN get_pet_used_at_ms;
