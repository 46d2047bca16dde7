#!/bin/sh
# Runs once, when the server is created. Creates the service's role, which owns only its database, and a role for the standby.
# From the next start on, each commit waits for the standby (docs/postgresql.md#failures).
set -eu
psql --username="$POSTGRES_USER" --dbname=postgres --set=ON_ERROR_STOP=1 --quiet \
	--set=animals="$ANIMALS_PASSWORD" --set=standby="$STANDBY_PASSWORD" <<'SQL'
CREATE ROLE animals LOGIN PASSWORD :'animals';
CREATE DATABASE animals OWNER animals ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE animals FROM PUBLIC;
CREATE ROLE standby LOGIN REPLICATION PASSWORD :'standby';
SELECT FROM pg_create_physical_replication_slot('standby');
ALTER SYSTEM SET synchronous_standby_names = 'standby';
SQL
echo "host replication standby all scram-sha-256" >> "$PGDATA/pg_hba.conf"
