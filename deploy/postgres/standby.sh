#!/bin/sh
# A standby of the server in PGHOST: copies it at the first start, then follows it.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
	rm -rf "$PGDATA" "$PGDATA.new"
	pg_basebackup --pgdata="$PGDATA.new" --dbname="user=standby application_name=standby" \
		--slot=standby --write-recovery-conf --checkpoint=fast
	mv "$PGDATA.new" "$PGDATA" # All of it or nothing.
fi
exec postgres "$@"
