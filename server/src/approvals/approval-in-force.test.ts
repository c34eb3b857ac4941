import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seedGrant, seedParty, TEST_NOW } from '../../test/partner.ts';
import { useTestDatabase } from '../../test/shared.ts';
import { changeApp } from '../apps/change-app.ts';
import type { Scope } from '../apps/scope.ts';
import { OPERATOR } from '../shops/audit.ts';
import { type MemberChange, setMember } from '../shops/member.ts';
import { endApproval } from './approval.ts';
import { isAppApproved, isInForce, scopesInForce } from './approval-in-force.ts';
import { listApprovals } from './approval-list.ts';

const LIFETIME_SECONDS = 900;
const END = new Date(TEST_NOW.getTime() + LIFETIME_SECONDS * 1_000);

describe('an approval that is in force', () => {
  const base = useTestDatabase();

  async function begin(): Promise<{
    readonly state: (now?: Date) => Promise<readonly [boolean, readonly Scope[]]>;
    readonly set: (change: MemberChange) => Promise<void>;
    readonly allow: (...scopes: Scope[]) => Promise<void>;
    readonly end: () => Promise<void>;
  }> {
    const party = await seedParty(base.db);
    const grant = await seedGrant(base.db, party, { lifetimeSeconds: LIFETIME_SECONDS });
    const { id: shopId } = party.shop;
    const { clientId } = party.app;
    return {
      state: async (now = TEST_NOW) => {
        const page = { clientId, before: null, limit: 2 };
        const approvals = await listApprovals(base.db, shopId, page, now);
        const scopes = scopesInForce(approvals);
        assert.equal(
          approvals.some((each) => isInForce(each)),
          scopes.length > 0,
        );
        return [await isAppApproved(base.db, shopId, clientId, now), scopes];
      },
      set: async (change) => {
        const { accountId } = party;
        await base.db.transaction(
          async (tx) => await setMember(tx, shopId, accountId, change, TEST_NOW, OPERATOR),
        );
      },
      allow: async (...scopes) => {
        await base.db.transaction(
          async (tx) => await changeApp(tx, shopId, clientId, { scopes }, TEST_NOW, OPERATOR),
        );
      },
      end: async () => {
        await base.db.transaction(
          async (tx) => await endApproval(tx, grant, 'token_revoked', TEST_NOW, OPERATOR),
        );
      },
    };
  }

  it('gives access until the exact millisecond at which its last token expires, or until it ends', async () => {
    const { state, end } = await begin();
    const scopes = ['inventory:read', 'purchase-boosts:read'];
    const [isApproved, open] = await state();
    assert.deepEqual([isApproved, open.toSorted()], [true, scopes]);
    assert.equal((await state(new Date(END.getTime() - 1)))[0], true);
    assert.deepEqual(await state(END), [false, []]);
    await end();
    assert.deepEqual(await state(), [false, []]);
  });

  it('gives no access while its member is deactivated', async () => {
    const { state, set } = await begin();
    await set({ isActive: false });
    assert.deepEqual(await state(), [false, []]);
    await set({ isActive: true });
    assert.equal((await state())[0], true);
  });

  it('gives access to boosts only if its member may read purchases and the shop allows the scope', async () => {
    const { state, set, allow } = await begin();
    await set({ permissions: ['inventory.read'] });
    assert.deepEqual(await state(), [true, ['inventory:read']]);
    await allow('purchase-boosts:read');
    assert.equal((await state())[0], false, 'boosts alone, and they are refused');
    await set({ permissions: ['purchases.read'] });
    assert.equal((await state())[0], true);
  });
});
