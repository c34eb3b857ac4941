import { integerField } from '../base/field.ts';
import { beginNewEpoch } from '../inventory/restored.ts';
import { makeWebhooksDue } from '../webhooks/restored.ts';
import { type AdminCall, adminCall, done } from './admin-call.ts';
import { wakeDelivery } from './notice-calls.ts';

/** Ten years: longer than any life of anything. */
const ADVANCE_SECONDS_MAX = 10 * 365 * 86_400;

const expireCursors = adminCall({
  path: 'faults/expire-cursors',
  summary:
    'Every cursor answers 410 cursor_expired, and every webhook is told, as after a restore from a backup.',
  fields: {},
  run: async ({ emulation: { backend } }) => {
    const shops = await backend.db.transaction(async (tx) => {
      const now = backend.clock.now();
      await makeWebhooksDue(tx, now);
      return await beginNewEpoch(tx, now);
    });
    return done({ shops });
  },
});

const clock = adminCall({
  path: 'clock',
  summary:
    'The whole service lives that much later from now on: tokens, boosts, retries, timestamps of notices. Never back, but by reset.',
  fields: { advanceSeconds: integerField(0, ADVANCE_SECONDS_MAX, 'How many seconds.') },
  required: ['advanceSeconds'],
  run: async (context, { advanceSeconds = 0 }) => {
    const { clock: shifted } = context.emulation;
    shifted.advance(advanceSeconds);
    await wakeDelivery(context);
    return done({ now: shifted.now(), aheadSeconds: shifted.aheadSeconds });
  },
});

const reset = adminCall({
  path: 'reset',
  summary:
    'Everything as at the start: seeded anew, no connection, no fault, the time of the machine.',
  fields: {},
  run: async ({ emulation }) => {
    await emulation.reset();
    return done({ isReset: true });
  },
});

/** Calls that change the time, and what depends on it. */
export const timeCalls: readonly AdminCall[] = [expireCursors, clock, reset];
