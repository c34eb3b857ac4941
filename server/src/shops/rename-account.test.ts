import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seedShop } from '../../test/service.ts';
import { useTestDatabase } from '../../test/shared.ts';
import { findAccount } from './account.ts';
import { AUDIT_ACTIONS, OPERATOR } from './audit.ts';
import { addMember, setMember } from './member.ts';
import { readSignInSummaries } from './sign-in-summary.ts';
import { renameAccount } from './rename-account.ts';
import { startSession } from './session.ts';
import { listShopsOfAccount } from './shop-list.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');

describe('an account', () => {
  const base = useTestDatabase();

  it('every shop records a renamed account, and an invalid or unchanged name changes nothing', async () => {
    const { db } = base;
    const one = await seedShop(base);
    const two = await seedShop(base);
    const { account } = one.member;
    const rename = async (name: string): ReturnType<typeof renameAccount> =>
      await db.transaction(
        async (tx) =>
          await renameAccount(tx, account.id, name, NOW, { kind: 'member', accountId: account.id }),
      );
    await db.transaction(async (tx) => {
      const person = { email: one.email, name: 'x', permissions: [], passwordHash: null };
      await addMember(tx, two.shop.id, person, NOW, OPERATOR);
    });
    const told: string[] = [];
    db.onAnnouncement((topic, payload) => {
      if (topic === 'access') told.push(payload);
    });
    assert.ok(AUDIT_ACTIONS.includes('account.renamed'));
    for (const name of ['', ' x', 'a\u0007', 'x'.repeat(201)]) {
      assert.equal((await rename(name)).kind, 'invalid');
    }
    assert.equal((await rename(account.name)).kind, 'unchanged');
    assert.deepEqual(told, []);
    assert.equal((await rename('青木 晶')).kind, 'renamed');
    assert.equal((await findAccount(db, account.id))?.name, '青木 晶');
    assert.deepEqual(new Set(told), new Set([one.shop.id, two.shop.id]));
  });

  it('an account sees only the shops in which it is active', async () => {
    const { shop, member } = await seedShop(base, { name: 'B' });
    const other = await seedShop(base, { name: 'A' });
    const { account } = member;
    await base.db.transaction(async (tx) => {
      const person = { email: account.email, name: 'x', permissions: [], passwordHash: null };
      await addMember(tx, other.shop.id, person, NOW, OPERATOR);
    });
    const slugs = async (): Promise<string[]> =>
      (await listShopsOfAccount(base.db, account.id)).map(({ slug }) => slug);
    assert.deepEqual(await slugs(), [other.shop.slug, shop.slug]);
    await base.db.transaction(async (tx) => {
      await setMember(tx, shop.id, account.id, { isActive: false }, NOW, OPERATOR);
    });
    assert.deepEqual(await slugs(), [other.shop.slug]);
    const before = await readSignInSummaries(base.db, other.shop.id);
    assert.deepEqual(before.get(account.id), {
      accountId: account.id,
      lastSeenAt: null,
      passkeys: 0,
    });
    await startSession(base.db, account.id, NOW);
    const presence = await readSignInSummaries(base.db, other.shop.id);
    assert.deepEqual(presence.get(account.id)?.lastSeenAt, NOW);
    assert.equal(presence.size, 2);
  });
});
