import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId, newSecret, newSecretOfShop, shopOfSecret } from './secrets.ts';

const LENGTHS = [
  ['app', 43],
  ['cpa', 65],
  ['cpc', 65],
  ['csk', 65],
] as const;

describe('a secret of a shop', () => {
  for (const [prefix, length] of LENGTHS) {
    it(`contains its shop id: ${prefix}_ and ${length} letters and digits`, () => {
      const shops = [
        newId(),
        '00000000-0000-0000-0000-000000000000',
        'ffffffff-ffff-ffff-ffff-ffffffffffff',
      ];
      for (const shop of shops) {
        const secret = newSecretOfShop(prefix, shop);
        assert.match(secret, new RegExp(`^${prefix}_[A-Za-z0-9]{${length}}$`));
        assert.equal(shopOfSecret(secret), shop);
      }
    });

    it(`with the prefix ${prefix}_ differs each time that one is created`, () => {
      const shop = newId();
      const secrets = Array.from({ length: 1_000 }, () => newSecretOfShop(prefix, shop));
      assert.equal(new Set(secrets).size, secrets.length);
    });
  }

  it('is the only text in which shopOfSecret finds a shop id', () => {
    const secret = newSecretOfShop('cpa', newId());
    const others = [
      newSecret('cpa'),
      newSecret('cpc'),
      newSecret('csk'),
      newSecret('cps'),
      '',
      'cpa_',
      secret.slice(0, -1),
      `${secret}0`,
      ` ${secret}`,
      secret.replace('cpa', 'cpr'),
      `${secret.slice(0, -1)}-`,
      `cpa_${'z'.repeat(65)}`,
      `cpa_${'0'.repeat(100_000)}`,
    ];
    for (const text of others) assert.equal(shopOfSecret(text), undefined, text.slice(0, 80));
  });

  it('can be created only for a shop id that is a UUID', () => {
    assert.throws(() => newSecretOfShop('app', 'a-shop'), /must be a UUID/);
  });
});
