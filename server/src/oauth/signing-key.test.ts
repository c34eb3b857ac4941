import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachEngine } from '../../test/engines.ts';
import { loadSigningKey } from './signing-key.ts';

onEachEngine('the key that signs id_tokens', (open) => {
  it('is one for all nodes, also when they start at once', async () => {
    await using base = await open();
    const now = new Date();
    const keys = await Promise.all(
      Array.from({ length: 4 }, async () => await loadSigningKey(base.db, 'a secret', now)),
    );
    assert.equal(new Set(keys.map(({ n }) => n)).size, 1);
    assert.equal(keys[0]?.alg, 'RS256');
  });

  it('is replaced when another SECRET_KEY cannot open it', async () => {
    await using base = await open();
    const one = await loadSigningKey(base.db, 'a secret', new Date());
    const two = await loadSigningKey(base.db, 'another secret', new Date());
    assert.notEqual(one.n, two.n);
    assert.equal((await loadSigningKey(base.db, 'another secret', new Date())).kid, two.kid);
  });
});
