-- Edits of an animal's category. SQLite cannot change a constraint, so the table is created again with the same rows.
-- oldest writer: 5

CREATE TABLE edits_with_categories (
  id BIGINT PRIMARY KEY,
  at_ms BIGINT NOT NULL,
  editor TEXT NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('set-status', 'set-category', 'rename', 'remove')),
  pet_id BIGINT NOT NULL,
  from_status TEXT CHECK (from_status IN ('available', 'pending', 'sold')),
  to_status TEXT CHECK (to_status IN ('available', 'pending', 'sold')),
  erased_at_ms BIGINT,
  from_category_id BIGINT,
  to_category_id BIGINT
);
INSERT INTO edits_with_categories SELECT *, NULL, NULL FROM edits;
DROP TABLE edits;
ALTER TABLE edits_with_categories RENAME TO edits;
CREATE INDEX edits_by_pet ON edits (pet_id);
CREATE INDEX edits_to_erase ON edits (id) WHERE erased_at_ms IS NULL AND action IN ('rename', 'remove');
