import type pg from 'pg';
import { runningMs } from '../base/process-pauses.ts';
import { destroyConnection } from '../patches/pg-connection.ts';

// A stuck connection is cut at most a tenth of the timeout late.
const CHECKS_PER_TIMEOUT = 10;

/**
 * Cuts a connection if queries are pending and no response came for `timeoutMs`. Each response
 * restarts the time, because later statements waited for it.
 *
 * `query_timeout` of `pg` is not used, because its timer per statement keeps the statement and its
 * rows in memory. For ten rows of 4 kB, the timers take 1.3 times the processor time and cause
 * pauses of 63 ms instead of 11 (decision 0124).
 */
export function limitResponseTime(client: pg.Client, timeoutMs: number): void {
  let pendingQueries = 0;
  let sinceMs = 0;
  const onResponse = (): void => {
    pendingQueries -= 1;
    sinceMs = runningMs();
  };
  const query = client.query.bind(client);
  Reflect.set(client, 'query', (...args: unknown[]): unknown => {
    if (pendingQueries++ === 0) sinceMs = runningMs();
    const callback = args.at(-1);
    if (typeof callback === 'function') {
      const onResult = (...result: unknown[]): void => {
        onResponse();
        Reflect.apply(callback, undefined, result);
      };
      Reflect.apply(query, client, [...args.slice(0, -1), onResult]);
      return undefined;
    }
    const result: unknown = Reflect.apply(query, client, args);
    if (result instanceof Promise) result.then(onResponse, onResponse);
    return result;
  });
  const check = (): void => {
    if (pendingQueries === 0 || runningMs() - sinceMs < timeoutMs) return;
    destroyConnection(client, new Error('Query read timeout'));
  };
  const timer = setInterval(check, timeoutMs / CHECKS_PER_TIMEOUT).unref();
  client.once('end', () => clearInterval(timer));
}
