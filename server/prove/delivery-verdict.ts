import type { AttemptError } from '../src/webhooks/attempt.ts';
import { type Behavior, RETRY_AFTER_SECONDS } from './receiver-behavior.ts';
import type { Arrival } from './receiver.ts';

/** A row of the attempt log as the Shop API returns it. */
export interface LoggedAttempt {
  readonly number: number;
  readonly eventId: string;
  readonly attempt: number;
  readonly startedAt: string;
  readonly latencyMs: number | null;
  readonly status: number | null;
  readonly error: AttemptError | null;
}

/**
 * The minimum time between the end of a delivery and the arrival of the next: 1 s minus the
 * difference between two clocks.
 */
const PACE_MS = 900;
/** Errors of a send that can fail before anything reaches the receiver. */
const BEFORE_ARRIVAL: ReadonlySet<AttemptError | null> = new Set([
  'interrupted',
  'blocked_address',
  'dns',
  'connect',
  'tls',
  'timeout',
]);
/** Errors that occur when a receiver never responds. */
const WITHOUT_ANSWER: ReadonlySet<AttemptError | null> = new Set(['timeout', 'reset', 'protocol']);
/** The maximum number of bytes sent of a body of 100 MB, roughly the size of the socket buffers. */
const BYTES_SENT_MAX = 16 * 1024 * 1024;

/**
 * Behaviors with a slow body. The connection stays open after the status, but the attempt ends at
 * the status.
 */
const OPEN_AFTER_ANSWER: ReadonlySet<Behavior> = new Set(['drip_body', 'huge']);

/**
 * Returns all rule violations that one receiver saw, one sentence each. `arrivals` are in order of
 * arrival. `rows` show which attempts were interrupted by a worker's death, for which the worker's
 * view of the response is unknown.
 */
export function findReceiverFaults(
  behavior: Behavior,
  arrivals: readonly Arrival[],
  rows: readonly LoggedAttempt[],
): string[] {
  const faults: string[] = [];
  const interrupted = new Set(
    rows.filter(({ error }) => error === 'interrupted').map((row) => keyOf(row)),
  );
  const bodies = new Map<string, string>();
  const lastAttempts = new Map<string, number>();
  for (const [n, arrival] of arrivals.entries()) {
    const { eventId, attempt, bodySha256 } = arrival;
    const say = (what: string): void => void faults.push(`${eventId} ${attempt}: ${what}`);
    for (const fault of arrival.faults) say(fault);
    if (arrival.underWay > 0) say(`came while ${arrival.underWay} were under way`);
    if (arrival.isReadable === false) say('came before its change could be read');
    if ((bodies.get(eventId) ?? bodySha256) !== bodySha256) say('has another body than before');
    bodies.set(eventId, bodySha256);
    if (attempt <= (lastAttempts.get(eventId) ?? 0)) say('is no later attempt than the last');
    if (n > 0 && lastAttempts.has(eventId) && arrivals[n - 1]?.eventId !== eventId) {
      say('came again after another event');
    }
    lastAttempts.set(eventId, attempt);
    if (arrival.bytesSent > BYTES_SENT_MAX) say(`took ${arrival.bytesSent} bytes`);
    const before = arrivals[n - 1];
    const gapMs = arrival.arrivedAtMs - (before?.endedAtMs ?? -Infinity);
    const said = `came ${gapMs.toFixed(0)} ms after the end of the one before`;
    if (gapMs < PACE_MS && !OPEN_AFTER_ANSWER.has(behavior)) say(said);
    const isPutOff = before?.status === 429 && !interrupted.has(keyOf(before));
    if (isPutOff && gapMs < RETRY_AFTER_SECONDS * 1_000) say(`${said}, before its Retry-After`);
  }
  return faults;
}

/**
 * Returns the differences between the log and the receiver's arrivals: each attempt must have
 * exactly one row with the same status.
 */
export function findLogFaults(
  rows: readonly LoggedAttempt[],
  arrivals: readonly Arrival[],
): string[] {
  const faults: string[] = [];
  const seen = new Map(arrivals.map((arrival) => [keyOf(arrival), arrival]));
  if (seen.size !== arrivals.length) faults.push('an attempt arrived twice');
  const logged = new Set(rows.map((row) => keyOf(row)));
  if (logged.size !== rows.length) faults.push('an attempt has two rows');
  for (const key of seen.keys()) {
    if (!logged.has(key)) faults.push(`${key}: arrived and has no row`);
  }
  const sorted = rows.toSorted((a, b) => a.number - b.number);
  let freeAtMs = -Infinity;
  for (const [n, row] of sorted.entries()) {
    const arrival = seen.get(keyOf(row));
    const say = (what: string): void =>
      void faults.push(`${keyOf(row)} (${row.status}, ${row.error}): ${what}`);
    if (row.number !== n + 1) say(`is number ${row.number}, not ${n + 1}`);
    if (row.status === null && row.error === null) say('has no end');
    const startedAtMs = Date.parse(row.startedAt);
    if (startedAtMs < freeAtMs) say('began before the end of the one before');
    freeAtMs = startedAtMs + (row.latencyMs ?? 0);
    if (arrival === undefined) {
      if (!BEFORE_ARRIVAL.has(row.error)) say('never arrived');
    } else if (row.status === null) {
      const isUnanswered = arrival.status === null && WITHOUT_ANSWER.has(row.error);
      if (row.error !== 'interrupted' && !isUnanswered) say(`was answered ${arrival.status}`);
    } else if (row.status !== arrival.status) {
      say(`was answered ${arrival.status}`);
    }
    const isSuccess = row.status !== null && row.status >= 200 && row.status < 300;
    if (isSuccess !== (row.error === null)) say('has an error that is none');
  }
  return faults;
}

function keyOf(one: { readonly eventId: string; readonly attempt: number }): string {
  return `${one.eventId} ${one.attempt}`;
}
