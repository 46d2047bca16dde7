-- See sqlite-007.sql. Each statement that changes animals adds rows of counts. If it changed one row instead, that row
-- would get many versions, which all reads and creates skip while an old transaction is open. Sweeps replace rows by
-- their sums. Citus refuses triggers (XX000): there, the numbers are counted when they are read.
-- oldest writer: 5

CREATE TABLE pet_count_changes (category_id BIGINT NOT NULL, status TEXT NOT NULL, animals BIGINT NOT NULL);
CREATE TABLE pet_total_changes (status TEXT NOT NULL, animals BIGINT NOT NULL);

CREATE FUNCTION count_pets() RETURNS trigger LANGUAGE plpgsql AS '
  BEGIN
    IF TG_OP <> ''DELETE'' THEN
      INSERT INTO pet_count_changes SELECT category_id, coalesce(status, ''''), count(*) FROM added GROUP BY 1, 2; --
      INSERT INTO pet_total_changes SELECT coalesce(status, ''''), count(*) FROM added GROUP BY 1; --
    END IF; --
    IF TG_OP <> ''INSERT'' THEN
      INSERT INTO pet_count_changes SELECT category_id, coalesce(status, ''''), -count(*) FROM removed GROUP BY 1, 2; --
      INSERT INTO pet_total_changes SELECT coalesce(status, ''''), -count(*) FROM removed GROUP BY 1; --
    END IF; --
    RETURN NULL; --
  END';

DO 'BEGIN CREATE TRIGGER pets_added AFTER INSERT ON pets REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_pets(); EXCEPTION WHEN feature_not_supported OR internal_error THEN NULL; END';
DO 'BEGIN CREATE TRIGGER pets_removed AFTER DELETE ON pets REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_pets(); EXCEPTION WHEN feature_not_supported OR internal_error THEN NULL; END';
DO 'BEGIN CREATE TRIGGER pets_moved AFTER UPDATE ON pets REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_pets(); EXCEPTION WHEN feature_not_supported OR internal_error THEN NULL; END';

-- The creation of the triggers has locked the table against writers.
INSERT INTO pet_count_changes SELECT category_id, coalesce(status, ''), count(*) FROM pets GROUP BY 1, 2;
INSERT INTO pet_total_changes SELECT status, sum(animals) FROM pet_count_changes GROUP BY 1;
DO 'BEGIN IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = ''pets''::regclass AND tgname = ''pets_moved'') THEN
    CREATE VIEW pet_counts AS
      SELECT category_id, status, sum(animals)::bigint AS animals FROM pet_count_changes GROUP BY 1, 2; --
  ELSE
    CREATE VIEW pet_counts AS
      SELECT category_id, coalesce(status, '''') AS status, count(*) AS animals FROM pets GROUP BY 1, 2; --
  END IF; END';
DO 'BEGIN IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = ''pets''::regclass AND tgname = ''pets_moved'') THEN
    CREATE VIEW pet_totals AS SELECT status, sum(animals)::bigint AS animals FROM pet_total_changes GROUP BY 1; --
  ELSE
    CREATE VIEW pet_totals AS SELECT coalesce(status, '''') AS status, count(*) AS animals FROM pets GROUP BY 1; --
  END IF; END';
