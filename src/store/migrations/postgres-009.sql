-- Without statistics, no sample of the rows keeps names of files. With a replica identity, tables without a key can be
-- moved to another server by logical replication, which Citus uses to move a schema.
-- oldest writer: 8

DO 'BEGIN ALTER TABLE idempotency_keys ALTER COLUMN origin SET STATISTICS 0; EXCEPTION WHEN feature_not_supported THEN NULL; END';
ALTER TABLE pet_count_changes REPLICA IDENTITY FULL;
ALTER TABLE pet_total_changes REPLICA IDENTITY FULL;
