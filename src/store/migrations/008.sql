-- Names of categories are equal if they differ only in Unicode's form, case and white space (`comparedName`), but not if
-- they differ in accents. SQL has no such function, so the program computes `folded` again (src/store/migrations.ts). No
-- name is merged or changed. If several names have become equal, all but the first keep the texts below: no name is found by them, as compared names are in small letters.
-- There is no oldest writer: an older node would not find a name with accents, and would add it again.

UPDATE categories SET folded = 'ID ' || id;
