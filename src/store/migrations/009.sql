-- Where a row of an import came from, as the service wrote it (src/http/imports.ts): later imports with the key are told.
-- Other creates have none.
-- oldest writer: 8

ALTER TABLE idempotency_keys ADD COLUMN origin TEXT;
