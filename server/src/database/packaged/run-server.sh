# Runs PostgreSQL until it ends: run-server.sh REMOVED POSTGRES [ARGUMENT …]. Descriptor 3 is the reading end of a pipe that every
# user of the cluster holds open. When it ends, because the last of them has, the server is stopped (fast shutdown) and the
# folder REMOVED, if it is not empty, is removed.
#
# A shell script, because it needs only about 1 MB.
removed=$1
shift
"$@" 3<&- &
server=$!
(
  read -r _
  trap '' TERM
  # A server that has just begun ignores the first ones: a background job of a shell starts that way.
  while kill -INT "$server" 2>/dev/null; do sleep 0.05; done
  exit 0
) <&3 >/dev/null 2>&1 &
users=$!
exec 3<&-
wait "$server"
code=$?
# Where the pipe has not ended, the server has died by itself, and its users start another one.
kill "$users" 2>/dev/null
wait "$users" && [ -n "$removed" ] && rm -rf "$removed"
exit "$code"
