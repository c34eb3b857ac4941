import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Access } from './access.ts';
import { GenerationalCache } from './generational-cache.ts';

function accessOf(shopId: string, changes: Partial<Access> = {}): Access {
  return {
    shopId,
    clientId: 'app',
    approvalId: 'approval',
    accountId: 'person',
    scopes: ['inventory:read'],
    resource: 'https://cards.example/partner/v1',
    expiresAt: new Date(0),
    isApprovalEnded: false,
    app: { isEnabled: true, isRemoved: false, sharesCost: false, scopes: ['inventory:read'] },
    member: { isActive: true, permissions: ['inventory.read'] },
    connection: {
      id: 'connection',
      shop: { id: shopId, name: 'Shop', slug: 'shop' },
      user: { id: 'person', name: 'Aoi', email: 'aoi@cards.example' },
      clientId: 'app',
      connectedAt: new Date(0),
    },
    ...changes,
  };
}

describe('the cache of access', () => {
  it('the cache evicts nothing in cyclic use of half its maximum, and stays within its maximum', () => {
    const kept = new GenerationalCache(200);
    const tokens = Array.from({ length: 100 }, (_, n) => `token ${n}`);
    for (const [n, token] of tokens.entries()) kept.set(token, accessOf(`shop ${n % 7}`));
    for (let round = 0; round < 5; round++) {
      for (const token of tokens) assert.ok(kept.get(token), `${token} in round ${round}`);
    }
    for (let n = 0; n < 1_000; n++) kept.set(`later ${n}`, accessOf('shop 1'));
    const found = Array.from({ length: 1_000 }, (_, n) => kept.get(`later ${n}`)).filter(Boolean);
    assert.ok(found.length >= 100 && found.length <= 200, `${found.length}`);
    assert.equal(kept.get('token 1'), undefined);
  });

  it('the cache evicts unused entries before used ones', () => {
    const kept = new GenerationalCache(20);
    kept.set('used', accessOf('a'));
    for (let n = 0; n < 1_000; n++) {
      kept.set(`other ${n}`, accessOf(`shop ${n}`));
      assert.ok(kept.get('used'));
    }
  });

  it('the cache shares equal objects, and returns the stored values', () => {
    const kept = new GenerationalCache(20);
    const connection = accessOf('a').connection;
    assert.ok(connection);
    const accesses = [
      accessOf('a'),
      accessOf('a', { approvalId: 'another', expiresAt: new Date(5) }),
      accessOf('a', { scopes: ['purchase-boosts:read'], resource: null }),
      accessOf('a', { clientId: 'app 2', connection: { ...connection, id: 'connection 2' } }),
      accessOf('a', { accountId: 'person 2', member: { isActive: true, permissions: [] } }),
      accessOf('a', { connection: { ...connection, connectedAt: new Date(7) } }),
      accessOf('b', { member: null, connection: null }),
      accessOf('b'),
    ];
    for (const [n, access] of accesses.entries()) kept.set(`${n}`, access);
    for (const [n, access] of accesses.entries()) assert.deepEqual(kept.get(`${n}`), access);
    const [first, second, , , , , , last] = accesses.map((_, n) => kept.get(`${n}`));
    assert.equal(first?.connection, second?.connection);
    assert.equal(first?.app, second?.app);
    assert.equal(first?.scopes, last?.scopes);
    assert.notEqual(first?.connection, last?.connection, 'another shop’s');
  });

  it('the cache returns the stored value or nothing after any sequence of operations', () => {
    const shop = fc.constantFrom('a', 'b', 'c');
    const token = fc.integer({ min: 0, max: 9 }).map(String);
    const step = fc.oneof(
      fc.record({ kind: fc.constant('set' as const), token, shop }),
      fc.record({ kind: fc.constant('get' as const), token }),
      fc.record({ kind: fc.constant('delete' as const), token }),
      fc.record({ kind: fc.constant('deleteShop' as const), shop }),
      fc.record({ kind: fc.constantFrom('clear' as const) }),
    );
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 2, max: 40 }),
        (steps, most) => {
          const kept = new GenerationalCache(most);
          const model = new Map<string, Access>();
          for (const each of steps) {
            if (each.kind === 'set') {
              model.set(each.token, accessOf(each.shop));
              kept.set(each.token, accessOf(each.shop));
            } else if (each.kind === 'delete') {
              model.delete(each.token);
              kept.delete(each.token);
            } else if (each.kind === 'deleteShop') {
              for (const [key, { shopId }] of model) if (shopId === each.shop) model.delete(key);
              kept.deleteShop(each.shop);
            } else if (each.kind === 'clear') {
              model.clear();
              kept.clear();
            } else {
              const found = kept.get(each.token);
              // The cache may have evicted an entry, but must never return a wrong one.
              if (found !== undefined || most >= 20) assert.deepEqual(found, model.get(each.token));
            }
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
