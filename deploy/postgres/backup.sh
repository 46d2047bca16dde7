#!/bin/sh
# Dumps DATABASE_URL into BACKUP_TO, immediately and then every BACKUP_EVERY seconds. Keeps the newest BACKUP_KEEP dumps
# of the same store: the names contain a part of the hash of its secret, so that a new, empty store replaces no good dump.
set -eu
cd "$BACKUP_TO"
identify="SELECT substr(encode(sha256(value), 'hex'), 1, 12) FROM settings WHERE name = 'cursor_secret'"
while :; do
	if store=$(psql --no-psqlrc --tuples-only --no-align --command="$identify" "$DATABASE_URL") &&
		pg_dump --format=custom --file=next.part "$DATABASE_URL" &&
		made=animals-$store-$(date -u +%Y%m%dT%H%M%SZ).dump && mv next.part "$made"; then
		echo "$made"
		# Dumps with a later time come from a wrong clock, and are removed first.
		{
			printf '%s\n' animals-"$store"-*.dump | sort -r | awk -v made="$made" '$0 <= made'
			printf '%s\n' animals-"$store"-*.dump | sort -r | awk -v made="$made" '$0 > made'
		} | tail -n +$((BACKUP_KEEP + 1)) | xargs -r rm --
	else
		echo "backup failed" >&2
	fi
	sleep "$BACKUP_EVERY"
done
