-- Names of categories, for people. Animals keep the numbers; older nodes need not know the names.
-- oldest writer: 5

CREATE TABLE categories (
  id BIGINT PRIMARY KEY,
  name TEXT NOT NULL,
  folded TEXT NOT NULL UNIQUE
);
