import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { seedGrant, seedParty, TEST_NOW, type TestParty } from '../../test/partner.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { endApproval } from './approval.ts';
import { listApprovals, type ListedApproval } from './approval-list.ts';
import { OPERATOR } from '../shops/audit.ts';

describe('the list of a shop’s approvals', () => {
  let base: TestDatabase;
  let party: TestParty;
  before(async () => {
    base = await openTestDatabase();
    party = await seedParty(base.db);
  });
  after(async () => await base.close());

  const list = async (
    before: string | null,
    clientId: string | null = null,
    shopId = party.shop.id,
  ): Promise<ListedApproval[]> =>
    await listApprovals(base.db, shopId, { clientId, before, limit: 2 }, TEST_NOW);

  it('the list shows who approved which app with which scopes, and how the approval ended', async () => {
    const grant = await seedGrant(base.db, party, { scope: 'inventory:read' });
    await base.db.transaction(
      async (tx) => await endApproval(tx, grant, 'token_revoked', TEST_NOW, OPERATOR),
    );
    assert.deepEqual(await list(null), [
      {
        id: grant.approvalId,
        app: { clientId: party.app.clientId, name: 'Reader', isRemoved: false },
        member: {
          accountId: party.accountId,
          name: 'Aoi Tanaka',
          isActive: true,
          mayReadPurchases: true,
        },
        hasTokens: false,
        scopes: ['inventory:read'],
        createdAt: TEST_NOW,
        repeats: 0,
        lastRepeatAt: null,
        endedAt: TEST_NOW,
        endReason: 'token_revoked',
      },
    ]);
  });

  it('approvals are listed in pages without gaps or repetitions, even if all have the same time', async () => {
    const made = new Set<string>();
    for (let count = 0; count < 4; count++) {
      made.add((await seedGrant(base.db, party)).approvalId);
    }
    const found: string[] = [];
    let before: string | null = null;
    for (let page = 0; page < 3; page++) {
      const rows: ListedApproval[] = await list(before);
      found.push(...rows.map(({ id }) => id));
      before = rows.at(-1)?.id ?? null;
    }
    assert.equal(found.length, 5);
    assert.equal(new Set(found).size, 5);
    for (const id of made) assert.ok(found.includes(id));
  });

  it('the list contains no approval of another shop or another app', async () => {
    const other = await seedParty(base.db);
    assert.deepEqual(await list(null, null, other.shop.id), []);
    assert.deepEqual(await list(null, other.app.clientId), []);
    const [own] = await list(null);
    assert.deepEqual(await list(own?.id ?? null, null, other.shop.id), []);
  });
});
