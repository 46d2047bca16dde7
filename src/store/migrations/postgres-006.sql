-- Edits of an animal's category.
-- oldest writer: 5

ALTER TABLE edits DROP CONSTRAINT edits_action_check;
ALTER TABLE edits ADD CONSTRAINT edits_action_check CHECK (action IN ('set-status', 'set-category', 'rename', 'remove'));
ALTER TABLE edits ADD COLUMN from_category_id BIGINT;
ALTER TABLE edits ADD COLUMN to_category_id BIGINT;
DROP INDEX edits_to_erase;
CREATE INDEX edits_to_erase ON edits (id) WHERE erased_at_ms IS NULL AND action IN ('rename', 'remove');
