#!/bin/sh
# Runs a standby of the server in PGHOST: copies that server at the first start, then follows it.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
	rm -rf "$PGDATA" "$PGDATA.new"
	pg_basebackup --pgdata="$PGDATA.new" --dbname="user=standby application_name=standby" \
		--slot=standby --write-recovery-conf --checkpoint=fast
	mv "$PGDATA.new" "$PGDATA" # The copy appears only when it is complete.
fi
exec postgres "$@"
