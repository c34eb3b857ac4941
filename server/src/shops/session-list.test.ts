import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seedShop } from '../../test/service.ts';
import { useTestDatabase } from '../../test/shared.ts';
import { listAudit } from './audit-log.ts';
import { findSession, sessionOrigin, startSession } from './session.ts';
import { countSessions, endOtherSessions, endSessionById, listSessions } from './session-list.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const HOUR_MS = 3_600_000;

describe('the list of an account’s sessions', () => {
  const base = useTestDatabase();

  it('the list shows browser, network and method of each open session, most recently used first', async () => {
    const accountId = (await seedShop(base)).member.account.id;
    const other = (await seedShop(base)).member.account.id;
    const long = `Mozilla/5.0 ${'x'.repeat(300)}`;
    const phone = sessionOrigin(long, '2001:db8::1', 'passkey');
    await startSession(base.db, accountId, NOW, phone);
    const desk = sessionOrigin(undefined, '192.0.2.7:443', 'password');
    await startSession(base.db, accountId, new Date(NOW.getTime() + 1), desk);
    await startSession(base.db, accountId, new Date(NOW.getTime() - HOUR_MS));
    await startSession(base.db, other, NOW);
    const listed = await listSessions(base.db, accountId, NOW);
    assert.deepEqual(
      listed.map(({ browser, network, way }) => [browser, network, way]),
      [
        ['', '192.0.2.7', 'password'],
        [long.slice(0, 200), '2001:db8:0:0::/64', 'passkey'],
      ],
    );
    assert.equal(await countSessions(base.db, accountId, NOW), 2);
  });

  it('an account can end one or all other sessions, but only its own', async () => {
    const { member, shop } = await seedShop(base);
    const [accountId, shopId] = [member.account.id, shop.id];
    const other = (await seedShop(base)).member.account.id;
    const by = { kind: 'member', accountId } as const;
    const start = async (id: string): Promise<{ readonly secret: string; readonly id: string }> => {
      const { secret } = await startSession(base.db, id, NOW);
      return { secret, id: (await findSession(base.db, secret, NOW))?.id ?? '' };
    };
    const [own, lost, third] = [
      await start(accountId),
      await start(accountId),
      await start(accountId),
    ];
    const stranger = await start(other);
    const isOpen = async ({ secret }: { readonly secret: string }): Promise<boolean> =>
      (await findSession(base.db, secret, NOW)) !== undefined;
    await base.db.transaction(async (tx) => {
      assert.equal(await endSessionById(tx, accountId, stranger.id, NOW, by), false);
      assert.equal(await endSessionById(tx, accountId, lost.id, NOW, by), true);
      assert.equal(await endSessionById(tx, accountId, lost.id, NOW, by), false);
    });
    assert.deepEqual([await isOpen(lost), await isOpen(third)], [false, true]);
    await startSession(base.db, accountId, new Date(NOW.getTime() - HOUR_MS));
    const ended = await base.db.transaction(
      async (tx) => await endOtherSessions(tx, accountId, own.id, NOW, by),
    );
    assert.equal(ended, 1, 'one of them was over');
    const shops = (await listAudit(base.db, shopId, { before: null, limit: 10 }))
      .filter(({ action }) => action === 'account.sessions_ended')
      .map(({ actor, details }) => [actor.id, details.sessions]);
    assert.deepEqual(shops, [
      [accountId, 1],
      [accountId, 1],
    ]);
    const left = [await isOpen(own), await isOpen(third), await isOpen(stranger)];
    assert.deepEqual(left, [true, false, true]);
  });
});
