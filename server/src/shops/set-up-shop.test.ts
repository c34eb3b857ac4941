import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestDatabase } from '../../test/test-database.ts';
import { newSecret } from '../base/secrets.ts';
import { setUpShop, slugOf } from './set-up-shop.ts';
import { issueSetupCode } from './setup-code.ts';
import { listShops } from './shop.ts';

describe('the first shop', () => {
  it('the first shop is not created with a code that became invalid after the page had checked it', async () => {
    await using base = await openTestDatabase();
    const { db } = base;
    const now = new Date();
    const issued = await issueSetupCode(db, now);
    if (issued.kind !== 'issued') throw new Error(issued.kind);
    const first = {
      shopName: 'Kumo',
      slug: null,
      timezone: null,
      ownerName: 'Hana',
      email: 'boss@kumo.example',
      passwordHash: 'h',
      language: 'en',
    } as const;
    for (const [code, at] of [
      [newSecret('cpo'), now],
      [issued.code, issued.expiresAt],
    ] as const) {
      const refused = await db.transaction(
        async (tx) => await setUpShop(tx, { ...first, code }, at),
      );
      assert.deepEqual(refused, { kind: 'wrong_code' });
    }
    assert.deepEqual(await listShops(db), []);
    const made = await db.transaction(
      async (tx) => await setUpShop(tx, { ...first, code: issued.code }, now),
    );
    assert.equal(made.kind, 'set_up');
  });
});

describe('the slug of a first shop', () => {
  it('the slug consists of the letters and digits of the shop’s name', () => {
    assert.equal(slugOf('Pokémon & Co. 24'), 'pokemon-co-24');
    assert.equal(slugOf('カード'), 'shop');
    assert.equal(slugOf(`${'a'.repeat(62)} b`), 'a'.repeat(62));
    assert.equal(slugOf('a'.repeat(200)), 'a'.repeat(63));
  });
});
