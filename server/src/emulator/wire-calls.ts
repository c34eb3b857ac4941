import { type Field, integerField, read, refuse } from '../base/field.ts';
import {
  type AdminCall,
  type AdminContext,
  adminCall,
  type AdminResult,
  done,
} from './admin-call.ts';
import { wakeDelivery } from './notice-calls.ts';
import type { NewWireFault } from './wire-fault.ts';

/** Requests that one fault hits at most. */
const COUNT_MAX = 10_000;
/** A day. */
const SECONDS_MAX = 86_400;
/** Longer than any client waits. */
const DELAY_MS_MAX = 120_000;
const PATH_CHARACTERS_MAX = 200;

const countField = integerField(1, COUNT_MAX, 'How many requests it hits.');
const secondsField = integerField(1, SECONDS_MAX, 'For how long, by the clock of the emulator.');
const delayField = integerField(1, DELAY_MS_MAX, 'How long each answer waits.');
const statusField = integerField(400, 599, 'The status that is answered.');
const pathField: Field<string> = {
  schema: { type: 'string' },
  read: (name, value) =>
    typeof value === 'string' && value.startsWith('/') && value.length <= PATH_CHARACTERS_MAX
      ? read(value)
      : refuse(`${name} must be a path that begins with /, such as /partner/v1/inventory.`),
};

/** Adds a fault that waits for requests, and answers it. */
function add(
  { emulation }: AdminContext,
  fault: Partial<NewWireFault> & Pick<NewWireFault, 'kind'>,
): AdminResult {
  const none = { path: null, left: null, until: null, delayMs: null, status: null };
  const added = emulation.faults.add({ ...none, ...fault });
  if (added === null) {
    return { kind: 'unfit', detail: 'Too many faults wait already: POST /emulator/faults/clear.' };
  }
  return done({ fault: added });
}

function untilOf({ emulation }: AdminContext, seconds: number | undefined): Date | null {
  if (seconds === undefined) return null;
  return new Date(emulation.clock.now().getTime() + seconds * 1_000);
}

const loseRefreshAnswers = adminCall({
  path: 'faults/lose-refresh-answers',
  summary:
    'Carry out the next refreshes and end the connection before a byte of the answer (count 1 unless said).',
  fields: { count: countField },
  run: async (context, { count = 1 }) =>
    add(context, { kind: 'lose-refresh-answers', left: count }),
});

const loseAnswers = adminCall({
  path: 'faults/lose-answers',
  summary: 'The same for the next requests of any kind, or of those whose path begins with path.',
  fields: { count: countField, path: pathField },
  run: async (context, { count = 1, path = null }) =>
    add(context, { kind: 'lose-answers', left: count, path }),
});

const cutAnswers = adminCall({
  path: 'faults/cut-answers',
  summary: 'End the connection in the middle of the body of the next answers.',
  fields: { count: countField, path: pathField },
  run: async (context, { count = 1, path = null }) =>
    add(context, { kind: 'cut-answers', left: count, path }),
});

const dripAnswers = adminCall({
  path: 'faults/drip-answers',
  summary:
    'Send the headers of the next answers at once, and the body in ten pieces, delayMs before each.',
  fields: { delayMs: delayField, count: countField, path: pathField },
  required: ['delayMs'],
  run: async (context, { delayMs = null, count = 1, path = null }) =>
    add(context, { kind: 'drip-answers', delayMs, left: count, path }),
});

const rateLimit = adminCall({
  path: 'faults/rate-limit',
  summary: 'Answer 429 rate_limited with Retry-After for so many seconds.',
  fields: { seconds: secondsField, path: pathField },
  required: ['seconds'],
  run: async (context, { seconds, path = null }) =>
    add(context, { kind: 'rate-limit', until: untilOf(context, seconds), path, status: 429 }),
});

const slowAnswers = adminCall({
  path: 'faults/slow-answers',
  summary:
    'Hold back each answer for delayMs: so many of them, for so many seconds, or until clear.',
  fields: { delayMs: delayField, count: countField, seconds: secondsField, path: pathField },
  required: ['delayMs'],
  run: async (context, { delayMs = null, count = null, seconds, path = null }) =>
    add(context, {
      kind: 'slow-answers',
      delayMs,
      left: count,
      until: untilOf(context, seconds),
      path,
    }),
});

const failAnswers = adminCall({
  path: 'faults/fail-answers',
  summary: 'Answer the next requests with this status (503 unless said) without carrying them out.',
  fields: { status: statusField, count: countField, path: pathField },
  run: async (context, { status = 503, count = 1, path = null }) =>
    add(context, { kind: 'fail-answers', status, left: count, path }),
});

const clear = adminCall({
  path: 'faults/clear',
  summary:
    'End every fault that waits, and release answers and notices that are held back. What was revoked, disabled or expired stays so.',
  fields: {},
  run: async (context) => {
    const { faults, notices } = context.emulation;
    const ended = faults.list().length;
    faults.clear();
    notices.clear();
    await wakeDelivery(context);
    return done({ ended });
  },
});

/** Faults between the service and an app. */
export const wireCalls: readonly AdminCall[] = [
  loseRefreshAnswers,
  loseAnswers,
  cutAnswers,
  dripAnswers,
  rateLimit,
  slowAnswers,
  failAnswers,
  clear,
];
