#!/bin/sh
# A dump of DATABASE_URL at once and then each BACKUP_EVERY (seconds), in BACKUP_TO; the newest BACKUP_KEEP are kept.
set -eu
cd "$BACKUP_TO"
while :; do
	file=animals-$(date -u +%Y%m%dT%H%M%SZ).dump
	if pg_dump --format=custom --file=next.part "$DATABASE_URL" && mv next.part "$file"; then
		echo "$file"
		printf '%s\n' animals-*.dump | sort -r | tail -n +$((BACKUP_KEEP + 1)) | xargs -r rm --
	else
		echo "backup failed" >&2
	fi
	sleep "$BACKUP_EVERY"
done
