import type pg from 'pg';
import { cutConnection } from '../patches/pg-connection.ts';

/** Checks per limit: a connection is cut at most a tenth of the limit late. */
const LOOKS = 10;

/**
 * Cuts a connection when its server has owed an answer for `msMax` milliseconds; everything that
 * waits on it fails as on a lost connection. The time restarts with each answer, because later
 * statements had to wait for it.
 *
 * `query_timeout` of `pg` does the same with one timer per statement. Such a timer keeps the
 * statement and its rows reachable for the garbage collector: 1.3 times the processor time for ten
 * rows of 4 kB, and pauses of 63 ms instead of 11 (decision 0124).
 */
export function limitAnswerTime(client: pg.Client, msMax: number): void {
  let owed = 0;
  let sinceMs = 0;
  const answered = (): void => {
    owed -= 1;
    sinceMs = performance.now();
  };
  const query = client.query.bind(client);
  // `query` has several forms: with a callback, as `pg-pool` calls it, or with a promise.
  Reflect.set(client, 'query', (...asked: unknown[]): unknown => {
    if (owed++ === 0) sinceMs = performance.now();
    const callback = asked.at(-1);
    if (typeof callback === 'function') {
      const tell = (...answer: unknown[]): void => {
        answered();
        Reflect.apply(callback, undefined, answer);
      };
      Reflect.apply(query, client, [...asked.slice(0, -1), tell]);
      return undefined;
    }
    const answer: unknown = Reflect.apply(query, client, asked);
    if (answer instanceof Promise) answer.then(answered, answered);
    return answer;
  });
  const look = (): void => {
    if (owed === 0 || performance.now() - sinceMs < msMax) return;
    cutConnection(client, new Error('Query read timeout'));
  };
  const looking = setInterval(look, msMax / LOOKS).unref();
  client.once('end', () => clearInterval(looking));
}
