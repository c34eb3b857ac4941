import { type Field, integerField, accept, refuse } from '../base/field.ts';
import { announce } from '../database/channel.ts';
import { startNewEpoch } from '../inventory/feed-epoch.ts';
import { makeWebhooksDue } from '../webhooks/after-restore.ts';
import { type AdminCall, adminCall, type AdminResult, successResult } from './admin-call.ts';
import type { Emulation } from './emulation.ts';
import { FIXED_SHOPS, type FixedShop } from './credentials.ts';
import { CHANGES_MAX } from './stock-changes.ts';
import type { NewWireFault } from './wire-fault.ts';

/** The maximum number of requests or events to which a fault applies. */
const COUNT_MAX = 10_000;
/** The maximum duration of a fault: one day. */
const SECONDS_MAX = 86_400;
/** The maximum delay. No client waits longer. */
const DELAY_MS_MAX = 120_000;
/** The maximum shift of the clock: ten years, more than any lifetime in the service. */
const ADVANCE_SECONDS_MAX = 10 * 365 * 86_400;
const PATH_CHARACTERS_MAX = 200;

const countField = integerField(
  1,
  COUNT_MAX,
  'The number of requests or events that the fault affects.',
);
const secondsField = integerField(
  1,
  SECONDS_MAX,
  "How long the fault lasts, in seconds on the emulator's clock.",
);
const delayField = integerField(1, DELAY_MS_MAX, 'The delay in milliseconds.');
const pathField: Field<string> = {
  schema: { type: 'string' },
  parse: (name, value) =>
    typeof value === 'string' && value.startsWith('/') && value.length <= PATH_CHARACTERS_MAX
      ? accept(value)
      : refuse(`${name} must be a path that begins with /, such as /partner/v1/inventory.`),
};
const shopField: Field<FixedShop> = {
  schema: { type: 'string' },
  parse: (_name, value) => {
    const shop = FIXED_SHOPS.find(({ slug }) => slug === value);
    const fault = `The emulator has no shop ${JSON.stringify(value)}.`;
    return shop === undefined ? refuse(fault, true) : accept(shop);
  },
};

function add(
  { faults }: Emulation,
  fault: Partial<NewWireFault> & Pick<NewWireFault, 'kind'>,
): AdminResult {
  const none = { path: null, left: null, until: null, delayMs: null, status: null };
  const added = faults.add({ ...none, ...fault });
  if (added !== null) return successResult({ fault: added });
  return {
    kind: 'unprocessable',
    detail: 'Too many faults are already set. Clear them with POST /emulator/faults/clear.',
  };
}

function untilOf({ clock }: Emulation, seconds: number | undefined): Date | null {
  return seconds === undefined ? null : new Date(clock.now().getTime() + seconds * 1_000);
}

/** Wakes the delivery workers, so that they send all due events. */
async function wakeDelivery({ backend }: Emulation): Promise<void> {
  await backend.db.transaction(async (tx) => {
    for (const { id } of FIXED_SHOPS) await announce(tx, 'webhooks', id);
  });
}

/** The calls that change stock, faults of requests and events, and the clock. */
export const faultCalls: readonly AdminCall[] = [
  adminCall({
    path: 'stock',
    summary:
      'Raise the prices of some units (changes: how many, default 1). Each call continues after the units of the previous call. Returns the ids of the units.',
    fields: {
      changes: integerField(1, CHANGES_MAX, 'The number of units to change.'),
      shop: shopField,
    },
    run: async ({ stockChanger, backend }, { changes = 1, shop = FIXED_SHOPS[0] }) => {
      const result = await stockChanger.change(backend, shop, changes);
      return result.kind === 'unprocessable' ? result : successResult({ unitIds: result.unitIds });
    },
  }),
  adminCall({
    path: 'faults/lose-refresh-answers',
    summary:
      'Carry out the next refreshes, but close the connection before sending the response (count: default 1).',
    fields: { count: countField },
    run: (emulation, { count = 1 }) =>
      add(emulation, { kind: 'lose-refresh-answers', left: count }),
  }),
  adminCall({
    path: 'faults/lose-answers',
    summary:
      'Carry out the next requests of any kind, or those below path, but close the connection before sending the response.',
    fields: { count: countField, path: pathField },
    run: (emulation, { count = 1, path = null }) =>
      add(emulation, { kind: 'lose-answers', left: count, path }),
  }),
  adminCall({
    path: 'faults/cut-answers',
    summary: 'Close the connection in the middle of the body of the next responses.',
    fields: { count: countField, path: pathField },
    run: (emulation, { count = 1, path = null }) =>
      add(emulation, { kind: 'cut-answers', left: count, path }),
  }),
  adminCall({
    path: 'faults/drip-answers',
    summary:
      'Send the headers of the next responses immediately, and the body in ten pieces, with delayMs before each piece.',
    fields: { delayMs: delayField, count: countField, path: pathField },
    required: ['delayMs'],
    run: (emulation, { delayMs = null, count = 1, path = null }) =>
      add(emulation, { kind: 'drip-answers', delayMs, left: count, path }),
  }),
  adminCall({
    path: 'faults/rate-limit',
    summary: 'Respond with 429 rate_limited and Retry-After for this many seconds.',
    fields: { seconds: secondsField, path: pathField },
    required: ['seconds'],
    run: (emulation, { seconds, path = null }) => {
      const until = untilOf(emulation, seconds);
      return add(emulation, { kind: 'rate-limit', until, path, status: 429 });
    },
  }),
  adminCall({
    path: 'faults/slow-answers',
    summary:
      'Delay responses by delayMs: the next count responses, those of the next seconds, or all until faults/clear.',
    fields: { delayMs: delayField, count: countField, seconds: secondsField, path: pathField },
    required: ['delayMs'],
    run: (emulation, { delayMs = null, count = null, seconds, path = null }) => {
      const until = untilOf(emulation, seconds);
      return add(emulation, { kind: 'slow-answers', delayMs, left: count, until, path });
    },
  }),
  adminCall({
    path: 'faults/fail-answers',
    summary:
      'Respond to the next requests with this status (default 503) without carrying them out.',
    fields: {
      status: integerField(400, 599, 'The status of the responses.'),
      count: countField,
      path: pathField,
    },
    run: (emulation, { status = 503, count = 1, path = null }) =>
      add(emulation, { kind: 'fail-answers', status, left: count, path }),
  }),
  adminCall({
    path: 'faults/clear',
    summary:
      'Clear all faults, and release delayed responses and held deliveries. Revoked connections, disabled apps and expired tokens stay as they are.',
    fields: {},
    run: async (emulation) => {
      const { faults, notices } = emulation;
      const ended = faults.list().length;
      faults.clear();
      notices.clear();
      await wakeDelivery(emulation);
      return successResult({ ended });
    },
  }),
  adminCall({
    path: 'faults/hold-notices',
    summary: 'Hold all deliveries until release-notices. One event then covers all changes.',
    fields: {},
    run: ({ notices }) => {
      notices.hold();
      return successResult({ isHeld: true });
    },
  }),
  adminCall({
    path: 'faults/release-notices',
    summary: 'Send the held deliveries.',
    fields: {},
    run: async (emulation) => {
      emulation.notices.release();
      await wakeDelivery(emulation);
      return successResult({ isHeld: false });
    },
  }),
  adminCall({
    path: 'faults/repeat-notices',
    summary:
      'Send the next deliveries twice (count: default 1), with the same bytes and the same event id.',
    fields: { count: countField },
    run: ({ notices }, { count = 1 }) => {
      notices.repeat(count);
      return successResult({ repeatsLeft: count });
    },
  }),
  adminCall({
    path: 'faults/expire-cursors',
    summary:
      'Expire every cursor (410 cursor_expired) and notify every webhook, as after a restore from a backup.',
    fields: {},
    run: async ({ backend }) => {
      const shops = await backend.db.transaction(async (tx) => {
        const now = backend.clock.now();
        await makeWebhooksDue(tx, now);
        return await startNewEpoch(tx, now);
      });
      return successResult({ shops });
    },
  }),
  adminCall({
    path: 'clock',
    summary:
      'Move the clock of the service forward. It affects tokens, boosts, retries and delivery timestamps. Only reset moves it back.',
    fields: {
      advanceSeconds: integerField(
        0,
        ADVANCE_SECONDS_MAX,
        'The number of seconds to move the clock forward.',
      ),
    },
    required: ['advanceSeconds'],
    run: async (emulation, { advanceSeconds = 0 }) => {
      const { clock } = emulation;
      clock.advance(advanceSeconds);
      await wakeDelivery(emulation);
      return successResult({ now: clock.now(), aheadSeconds: clock.aheadSeconds });
    },
  }),
  adminCall({
    path: 'reset',
    summary:
      'Return to the initial state: fresh data, no connections, no faults, and the machine’s time.',
    fields: {},
    run: async (emulation) => {
      await emulation.reset();
      return successResult({ isReset: true });
    },
  }),
];
