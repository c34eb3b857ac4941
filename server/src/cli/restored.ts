import { listApprovalsToRenew } from '../approvals/lost-token.ts';
import type { Transaction } from '../database/database.ts';
import { identityValues, recordIdentity, selectIdentity } from '../database/identity.ts';
import { recordRestored } from '../runtime/restore-watch.ts';
import type { Command } from './command.ts';
import { CONFIRM_OPTIONS, confirmChange, previewChange } from './confirm.ts';

/** The maximum number of approvals that the command lists. */
const NAMED_MAX = 1_000;

export const restored: Command = {
  name: 'restored',
  summary:
    'Record that the database was restored from a backup. All cursors expire, all webhooks are notified so that apps read everything again, and apps keep their approvals.',
  options: {
    'same-data': {
      meaning:
        'Only record that the database has all changes, as after a move, or a fail-over without loss. Cursors stay valid.',
    },
    ...CONFIRM_OPTIONS,
  },
  async run(args, { db, engine, clock, restoredTokenDays }, input) {
    const now = clock.now();
    if (args.has('same-data')) {
      const known = await db.one(
        selectIdentity,
        identityValues(engine, { databaseFailsOver: true }),
      );
      // After a proved loss, the cursors from before it have expired already.
      const kept = known?.state === 'lost' ? 'Cursors from after the loss' : 'All cursors';
      const stopped = await confirmChange(args, input, {
        json: {},
        effects: { shops: 0 },
        sentence: `${kept} stay valid, and refresh tokens that the database does not know are refused for good.`,
        act: 'accept the database',
      });
      if (stopped !== null) return stopped;
      await db.query(recordIdentity, [engine.folderId, now, true]);
      return { kind: 'done', json: {}, text: `The database is accepted. ${kept} stay valid.` };
    }
    const record = async (tx: Transaction): Promise<number> =>
      await recordRestored(tx, engine, now);
    const affected = await previewChange(db, record);
    const stopped = await confirmChange(args, input, {
      json: {},
      effects: { shops: affected },
      sentence: `All cursors expire (shops: ${affected}), and every app reads everything again. This is for a database that was restored by other means; to load a backup, use restore.`,
      act: 'expire all cursors',
    });
    if (stopped !== null) return stopped;
    const shops = await db.transaction(record);
    const found = await listApprovalsToRenew(db, now, NAMED_MAX + 1);
    const named = found.slice(0, NAMED_MAX);
    const approvals = `${named.length}${found.length > NAMED_MAX ? ' and more' : ''}`;
    const lines = [
      `All cursors have expired (shops: ${shops}). The apps are notified and read again from the beginning.`,
    ];
    if (named.length > 0 && restoredTokenDays > 0) {
      lines.push(
        `Apps keep their approvals (${approvals}): refresh tokens issued after the backup are accepted for ${restoredTokenDays} days.`,
      );
    } else if (named.length > 0) {
      lines.push(
        `RESTORED_TOKENS_DAYS is 0: an app that refreshed its tokens after the backup must be approved again. Approvals to check (${approvals}):`,
        ...named.map(({ shop, app, member }) => `  ${shop}: ${app}, approved by ${member}`),
      );
    }
    const toAsk = restoredTokenDays > 0 ? [] : named;
    return {
      kind: 'done',
      json: { shops, approvals: named.length, toAsk },
      text: lines.join('\n'),
    };
  },
};
