#!/bin/sh
# A dump of DATABASE_URL at once and then each BACKUP_EVERY (seconds), in BACKUP_TO. The newest BACKUP_KEEP of the same
# store are kept: the names have a part of the hash of its secret, so that a new, empty store replaces no good dump.
set -eu
cd "$BACKUP_TO"
identify="SELECT substr(encode(sha256(value), 'hex'), 1, 12) FROM settings WHERE name = 'cursor_secret'"
while :; do
	if store=$(psql --no-psqlrc --tuples-only --no-align --command="$identify" "$DATABASE_URL") &&
		pg_dump --format=custom --file=next.part "$DATABASE_URL" &&
		made=animals-$store-$(date -u +%Y%m%dT%H%M%SZ).dump && mv next.part "$made"; then
		echo "$made"
		# Those with a later time are from a wrong clock, and removed first.
		{
			printf '%s\n' animals-"$store"-*.dump | sort -r | awk -v made="$made" '$0 <= made'
			printf '%s\n' animals-"$store"-*.dump | sort -r | awk -v made="$made" '$0 > made'
		} | tail -n +$((BACKUP_KEEP + 1)) | xargs -r rm --
	else
		echo "backup failed" >&2
	fi
	sleep "$BACKUP_EVERY"
done
