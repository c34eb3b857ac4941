import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { open, seal } from './seal.ts';

describe('sealed texts', () => {
  const key = randomBytes(32);
  const context = Buffer.from('context');
  const sealed = seal('a text, 雲', key, context);

  it('open only with the same key and context', () => {
    assert.equal(open(sealed, key, context), 'a text, 雲');
    assert.equal(open(sealed, randomBytes(32), context), undefined);
    assert.equal(open(sealed, key, Buffer.from('other')), undefined);
  });

  it('do not open if any byte is changed or missing', () => {
    for (let index = 0; index < sealed.length; index++) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      assert.equal(open(changed, key, context), undefined);
    }
    assert.equal(open(sealed.subarray(1), key, context), undefined);
    assert.equal(open(Buffer.alloc(0), key, context), undefined);
  });

  it('are never the same twice', () => {
    assert.notDeepEqual(seal('a', key, context), seal('a', key, context));
  });
});
