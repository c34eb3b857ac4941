# Runs PostgreSQL until it ends: run-server.sh REMOVED POSTGRES [ARGUMENT …]. Descriptor 3 is the reading end of a pipe that every
# process that uses the cluster holds open. At its end of file, when the last of them has ended, this stops the server (fast
# shutdown) and deletes the folder REMOVED, unless that argument is empty.
#
# This is a shell script, because that needs only about 1 MB of memory.
removed=$1
shift
"$@" 3<&- &
server=$!
(
  read -r _
  trap '' TERM
  # Repeat the signal: a background job of a shell ignores SIGINT until the server handles it.
  while kill -INT "$server" 2>/dev/null; do sleep 0.05; done
  exit 0
) <&3 >/dev/null 2>&1 &
users=$!
exec 3<&-
wait "$server"
code=$?
# If the pipe is still open, the server has crashed, and the processes that use it start another one.
kill "$users" 2>/dev/null
wait "$users" && [ -n "$removed" ] && rm -rf "$removed"
exit "$code"
