-- Names of categories are compared by Unicode's form, case and white space alone (`comparedName`): accents make another
-- name. SQL has no such function, so the program computes `folded` again (src/store/migrations.ts). No name is merged
-- or changed: if several names have become equal, all but the first keep these texts, by which no name is found: each compared name is in small letters.
-- There is no oldest writer: an older node would not find a name with accents, and would add it again.

UPDATE categories SET folded = 'ID ' || id;
