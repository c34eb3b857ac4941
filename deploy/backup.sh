#!/bin/sh
# backup.sh FOLDER: writes a backup of the database into FOLDER, then copies the photos to FOLDER/photos and removes
# backups that are older than KEEP_DAYS (14). Uses the settings of the service. Old backups are only removed after a new
# one was written. The secret key is not included, nor are photos in a bucket.
set -eu
umask 077

folder=${1:?usage: backup.sh FOLDER}
cardport=$(CDPATH='' cd -- "$(dirname -- "$0")/../server/bin" && pwd -P)/cardport
part=$folder/.unfinished-$$
trap 'rm -f "$part"' EXIT

"$cardport" backup "$part" > /dev/null
gzip -t "$part"
backup=$folder/cardport-$(date -u +%Y-%m-%dT%H%M%SZ).backup
mv "$part" "$backup"
echo "backup.sh: wrote $backup"

# Copy the photos after the database. The store keeps a photo for 15 minutes after it was replaced or removed.
photos=${PHOTO_STORE:-${DATA_DIR:-./data}/photos}
case $photos in
  s3:*) echo "backup.sh: the photos are in a bucket; copy it with the bucket's own tools" ;;
  *) if [ -d "$photos" ]; then mkdir -p "$folder/photos" && cp -Ru "$photos/." "$folder/photos/"; fi ;;
esac

find "$folder" -maxdepth 1 -type f -name 'cardport-*.backup' -mtime "+${KEEP_DAYS:-14}" -delete
