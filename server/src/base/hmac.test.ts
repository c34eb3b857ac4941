import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hmac, makeHmacKey } from './hmac.ts';

describe('HMAC-SHA256 (RFC 2104)', () => {
  it('the digest equals that of node:crypto for keys and messages of any length', () => {
    const key = fc.uint8Array({ maxLength: 200 });
    const text = fc.string({ unit: 'binary-ascii', maxLength: 100 });
    const bytes = fc.uint8Array({ maxLength: 2_000 });
    fc.assert(
      fc.property(key, text, bytes, (secret, first, rest) => {
        const own = makeHmacKey(Buffer.from(secret));
        for (const encoding of ['hex', 'base64', 'binary'] as const) {
          const expected = createHmac('sha256', secret).update(first).update(rest).digest(encoding);
          assert.equal(hmac(own, first, rest, encoding), expected);
        }
      }),
    );
  });
});
