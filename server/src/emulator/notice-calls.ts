import { integerField } from '../base/field.ts';
import { announce } from '../database/channel.ts';
import { type AdminCall, type AdminContext, adminCall, done } from './admin-call.ts';
import { FIXED_SHOPS } from './fixed.ts';

/** Notices of a long run of tests. */
const COUNT_MAX = 10_000;

const hold = adminCall({
  path: 'faults/hold-notices',
  summary:
    'Begin no notice until release-notices; a change that comes meanwhile is told then, in one notice.',
  fields: {},
  run: async ({ emulation: { notices } }) => {
    notices.hold();
    return done({ isHeld: true });
  },
});

const release = adminCall({
  path: 'faults/release-notices',
  summary: 'Send what was held.',
  fields: {},
  run: async (context) => {
    context.emulation.notices.release();
    await wakeDelivery(context);
    return done({ isHeld: false });
  },
});

const repeat = adminCall({
  path: 'faults/repeat-notices',
  summary: 'Send the next notices twice (count 1 unless said): the same bytes, the same event id.',
  fields: { count: integerField(1, COUNT_MAX, 'How many notices.') },
  run: async ({ emulation: { notices } }, { count = 1 }) => {
    notices.repeat(count);
    return done({ repeatsLeft: count });
  },
});

/** Has the service look at once for what is due. */
export async function wakeDelivery({ emulation: { backend } }: AdminContext): Promise<void> {
  await backend.db.transaction(async (tx) => {
    for (const { id } of FIXED_SHOPS) await announce(tx, 'webhooks', id);
  });
}

/** Faults on the way to an app. */
export const noticeCalls: readonly AdminCall[] = [hold, release, repeat];
