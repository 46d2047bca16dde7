-- The number of animals by category and status ('' is no status), and by status alone, so that no list and no total
-- reads all animals or all categories. Triggers update the numbers in the transaction of each create and edit, also in
-- those of older nodes.
-- oldest writer: 5

CREATE TABLE pet_counts (
  category_id INTEGER NOT NULL,
  status TEXT NOT NULL,
  animals INTEGER NOT NULL,
  PRIMARY KEY (category_id, status)
) STRICT, WITHOUT ROWID;
CREATE TABLE pet_totals (status TEXT PRIMARY KEY, animals INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO pet_counts SELECT category_id, coalesce(status, ''), count(*) FROM pets GROUP BY 1, 2;
INSERT INTO pet_totals SELECT status, sum(animals) FROM pet_counts GROUP BY 1;

CREATE TRIGGER pets_added AFTER INSERT ON pets BEGIN
  INSERT INTO pet_counts VALUES (new.category_id, coalesce(new.status, ''), 1) ON CONFLICT DO UPDATE SET animals = animals + 1;
  INSERT INTO pet_totals VALUES (coalesce(new.status, ''), 1) ON CONFLICT DO UPDATE SET animals = animals + 1;
END;
CREATE TRIGGER pets_removed AFTER DELETE ON pets BEGIN
  UPDATE pet_counts SET animals = animals - 1 WHERE category_id = old.category_id AND status = coalesce(old.status, '');
  UPDATE pet_totals SET animals = animals - 1 WHERE status = coalesce(old.status, '');
END;
CREATE TRIGGER pets_moved AFTER UPDATE OF category_id, status ON pets BEGIN
  UPDATE pet_counts SET animals = animals - 1 WHERE category_id = old.category_id AND status = coalesce(old.status, '');
  UPDATE pet_totals SET animals = animals - 1 WHERE status = coalesce(old.status, '');
  INSERT INTO pet_counts VALUES (new.category_id, coalesce(new.status, ''), 1) ON CONFLICT DO UPDATE SET animals = animals + 1;
  INSERT INTO pet_totals VALUES (coalesce(new.status, ''), 1) ON CONFLICT DO UPDATE SET animals = animals + 1;
END;
