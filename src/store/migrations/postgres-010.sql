-- Every read needs the largest id of a removed animal, for the store's version. This id is the end of the index.
-- oldest writer: 8

CREATE INDEX edits_of_removals ON edits (pet_id) WHERE action = 'remove';
