import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppClient } from '../../test/app-client.ts';
import { IS_ON_CITUS } from '../../test/citus-nodes.ts';
import { seedShop, startTestService } from '../../test/service.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { ManualClock } from '../base/clock.ts';
import { hashSecret } from '../base/secrets.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { OPERATOR } from '../shops/audit.ts';
import { inviteMember } from '../shops/invite-member.ts';
import { useChallenge } from '../shops/passkey-challenge.ts';
import { deleteExpiredRows } from './clean-up.ts';

const selectModels = statement<{ readonly model: string; readonly rows: number }>(
  'select_models',
  `select model, count(*)::int as rows from oauth_artifact group by model order by model`,
);
const selectPayload = statement<{ readonly payload: object }>(
  'select_payload_of_refresh_token',
  `select payload from oauth_artifact where model = 'RefreshToken' and id = $1`,
);

function withDistribution(db: Database, isDistributed: boolean): Database {
  return new Proxy(db, {
    get: (target, name): unknown => {
      if (name === 'isDistributed') return async () => await Promise.resolve(isDistributed);
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

describe('the clean-up of expired OAuth rows', () => {
  // Citus refuses the statements for all shops.
  for (const isDistributed of IS_ON_CITUS ? [true] : [false, true]) {
    const how = isDistributed
      ? 'for one shop at a time, as on Citus'
      : 'for all shops in one statement';
    it(`the clean-up deletes only expired rows, ${how}, and keeps the data that detects the reuse of a rotated token`, async () => {
      await using base = await openTestDatabase();
      const db = withDistribution(base.db, isDistributed);
      const clock = new ManualClock(new Date());
      await using service = await startTestService(base, { clock });
      const app = new AppClient(service, await seedShop(base));
      const tokens = await app.tokens();
      const { body } = await app.refresh(tokens.refresh_token, {}, { 'idempotency-key': 'k' });
      const kept = (await base.db.one(selectPayload, [hashSecret(tokens.refresh_token)]))?.payload;
      assert.deepEqual(Object.keys(kept ?? {}).toSorted(), [
        'accountId',
        'clientId',
        'exp',
        'grantId',
        'gty',
        'iat',
        'kind',
        'resource',
        'scope',
        'spentBy',
      ]);
      clock.advance(901_000);
      // Deletes two access tokens and the code. The session still lives.
      assert.equal(await deleteExpiredRows(db, clock.now()), 3);
      assert.deepEqual(await base.db.query(selectModels), [
        { model: 'Grant', rows: 1 },
        { model: 'RefreshToken', rows: 2 },
      ]);
      // Adds an invitation and a challenge that will have expired at the next clean-up.
      await base.db.transaction(async (tx) => {
        const asked = {
          email: 'aki@x.example',
          permissions: [],
          language: 'en',
          provesAddress: true,
        } as const;
        await inviteMember(
          tx,
          app.seeded.shop.id,
          asked,
          new Date(clock.now().getTime() - 901_000),
          OPERATOR,
        );
      });
      await useChallenge(base.db, 'a challenge', new Date(clock.now().getTime() + 300_000));
      // Deletes the session, the invitation, the challenge and the stored response of the refresh.
      // With an `Idempotency-Key`, a response is kept for 7 days (decision 0007).
      clock.advance(7 * 86_400_000 - 901_000);
      assert.equal(await deleteExpiredRows(db, clock.now()), 4);
      assert.equal((await app.refresh(body.refresh_token ?? '')).status, 200);
      clock.advance(91 * 86_400_000);
      await deleteExpiredRows(db, clock.now());
      assert.deepEqual(await base.db.query(selectModels), [{ model: 'Grant', rows: 1 }]);
    });
  }
});
