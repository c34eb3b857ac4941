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
 * The minimum time between the end of a delivery and the arrival of the next: 1 s, less a tolerance
 * for the difference between two clocks.
 */
const MIN_INTERVAL_MS = 900;
/** Errors that can occur before anything reaches the receiver. */
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
/**
 * The maximum number of bytes of a 100 MB response that a receiver can send: little more than the
 * socket buffers hold.
 */
const BYTES_SENT_MAX = 16 * 1024 * 1024;

/**
 * Behaviors with a slow or long body. The attempt ends when the status arrives, although the
 * receiver is still sending.
 */
const OPEN_AFTER_ANSWER: ReadonlySet<Behavior> = new Set(['drip_body', 'huge']);

/**
 * Returns all rule violations that one receiver saw, one sentence each. `arrivals` are in order.
 * `rows` show which attempts were interrupted because their worker died. The worker may not have
 * seen the response.
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
    if (arrival.underWay > 0) say(`arrived while ${arrival.underWay} others were in progress`);
    if (arrival.isReadable === false) say('arrived before its change could be read');
    if ((bodies.get(eventId) ?? bodySha256) !== bodySha256) {
      say('has a different body than an earlier attempt');
    }
    bodies.set(eventId, bodySha256);
    if (attempt <= (lastAttempts.get(eventId) ?? 0)) {
      say('has no higher attempt number than the last');
    }
    if (n > 0 && lastAttempts.has(eventId) && arrivals[n - 1]?.eventId !== eventId) {
      say('arrived again after another event');
    }
    lastAttempts.set(eventId, attempt);
    if (arrival.bytesSent > BYTES_SENT_MAX) say(`read ${arrival.bytesSent} bytes of the response`);
    const before = arrivals[n - 1];
    const gapMs = arrival.arrivedAtMs - (before?.endedAtMs ?? -Infinity);
    const said = `arrived ${gapMs.toFixed(0)} ms after the previous one ended`;
    if (gapMs < MIN_INTERVAL_MS && !OPEN_AFTER_ANSWER.has(behavior)) say(said);
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
    if (!logged.has(key)) faults.push(`${key}: arrived but has no row`);
  }
  const sorted = rows.toSorted((a, b) => a.number - b.number);
  let freeAtMs = -Infinity;
  for (const [n, row] of sorted.entries()) {
    const arrival = seen.get(keyOf(row));
    const say = (what: string): void =>
      void faults.push(`${keyOf(row)} (${row.status}, ${row.error}): ${what}`);
    if (row.number !== n + 1) say(`is number ${row.number}, not ${n + 1}`);
    if (row.status === null && row.error === null) say('has no result');
    const startedAtMs = Date.parse(row.startedAt);
    if (startedAtMs < freeAtMs) say('started before the previous one ended');
    freeAtMs = startedAtMs + (row.latencyMs ?? 0);
    if (arrival === undefined) {
      if (!BEFORE_ARRIVAL.has(row.error)) say('never arrived');
    } else if (row.status === null) {
      const isUnanswered = arrival.status === null && WITHOUT_ANSWER.has(row.error);
      if (row.error !== 'interrupted' && !isUnanswered) {
        say(`but the receiver sent ${arrival.status}`);
      }
    } else if (row.status !== arrival.status) {
      say(`but the receiver sent ${arrival.status}`);
    }
    const isSuccess = row.status !== null && row.status >= 200 && row.status < 300;
    if (isSuccess !== (row.error === null)) say('has an error that does not match its status');
  }
  return faults;
}

function keyOf(one: { readonly eventId: string; readonly attempt: number }): string {
  return `${one.eventId} ${one.attempt}`;
}
