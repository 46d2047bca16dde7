-- Names of categories are equal if they differ only in Unicode's form, case or white space (`comparedName`), not in
-- accents. SQL has no such function, so the program computes `folded` again (src/store/migrations.ts). No name is merged
-- or changed. If names are equal now, all but the first keep this text: it has capitals, so no compared name equals it.
-- There is no oldest writer, because an older node would not find a name with accents, and would add it again.

UPDATE categories SET folded = 'ID ' || id;
