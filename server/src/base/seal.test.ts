import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { seal, unseal } from './seal.ts';

describe('a sealed text', () => {
  const key = randomBytes(32);
  const context = Buffer.from('context');
  const sealed = seal('a text, 雲', key, context);

  it('is decrypted only with the same key and context', () => {
    assert.equal(unseal(sealed, key, context), 'a text, 雲');
    assert.equal(unseal(sealed, randomBytes(32), context), undefined);
    assert.equal(unseal(sealed, key, Buffer.from('other')), undefined);
  });

  it('is not decrypted if any byte is changed or missing', () => {
    for (let index = 0; index < sealed.length; index++) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      assert.equal(unseal(changed, key, context), undefined);
    }
    assert.equal(unseal(sealed.subarray(1), key, context), undefined);
    assert.equal(unseal(Buffer.alloc(0), key, context), undefined);
  });

  it('differs each time that the same text is sealed', () => {
    assert.notDeepEqual(seal('a', key, context), seal('a', key, context));
  });
});
