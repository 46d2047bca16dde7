-- The largest id of a removed animal is the end of this index: every read needs it for the store's version.
-- oldest writer: 8

CREATE INDEX edits_of_removals ON edits (pet_id) WHERE action = 'remove';
