import type pg from 'pg';

/** How many times its limit a connection is looked at: it is given up at most a tenth of the limit late. */
const LOOKS = 10;

/**
 * Gives a connection up whose server has owed it an answer for `msMax` milliseconds: all that wait on it fail as with one
 * that was lost. The time begins anew with each answer, since those behind it have had to wait for it.
 *
 * `query_timeout` of `pg` would do the same by a timer for each statement. Those timers outlive their statements in the
 * eyes of the collector, and their rows with them: megabytes at each scavenge, which took up to 29 ms (decision 0131).
 */
export function limitAnswerTime(client: pg.Client, msMax: number): void {
  const { connection } = client;
  if (!isAsking(connection)) throw new Error('this version of pg asks otherwise');
  let owed = 0;
  let sinceMs = 0;
  const note = (): void => {
    if (owed++ === 0) sinceMs = performance.now();
  };
  // Each is answered by one ReadyForQuery.
  const sync = connection.sync.bind(connection);
  connection.sync = (): void => {
    note();
    sync();
  };
  const query = connection.query.bind(connection);
  connection.query = (text): void => {
    note();
    query(text);
  };
  connection.on('readyForQuery', () => {
    owed = Math.max(owed - 1, 0);
    sinceMs = performance.now();
  });
  const look = (): void => {
    if (owed === 0 || performance.now() - sinceMs < msMax) return;
    connection.stream.destroy(new Error('Query read timeout'));
  };
  const looking = setInterval(look, msMax / LOOKS).unref();
  client.once('end', () => clearInterval(looking));
}

/** What of a connection asks the server. */
interface Asking {
  sync(): void;
  query(text: string): void;
}

function isAsking(connection: object): connection is Asking {
  return (
    'sync' in connection &&
    typeof connection.sync === 'function' &&
    'query' in connection &&
    typeof connection.query === 'function'
  );
}
