-- `origin`: where a row of an import came from, in the form of src/http/imports.ts, for later imports. It is NULL for
-- other creates.
-- oldest writer: 8

ALTER TABLE idempotency_keys ADD COLUMN origin TEXT;
