import assert from 'node:assert/strict';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { newId } from '../base/secrets.ts';
import {
  type CursorKey,
  cursorKeyId,
  decodeCursor,
  encodeCursor,
  makeCursorKey,
} from './cursor.ts';

function makeKey(): CursorKey {
  const key = randomBytes(32);
  return makeCursorKey(idOf(key), key);
}

function idOf(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}

describe('a cursor (decision 0004)', () => {
  it('a cursor decodes to its position, and has at most 200 base64url characters', () => {
    const key = makeKey();
    fc.assert(
      fc.property(fc.uuid(), fc.maxSafeNat(), fc.maxSafeNat(), (shopId, epoch, seq) => {
        const text = encodeCursor(key, shopId, { epoch, seq });
        assert.match(text, /^[A-Za-z0-9_-]{1,200}$/);
        assert.equal(cursorKeyId(text), key.id);
        assert.deepEqual(decodeCursor(key, shopId, text), { epoch, seq });
      }),
    );
  });

  it('a cursor is signed with the truncated HMAC-SHA256 of its shop and payload (RFC 2104)', () => {
    const position = fc.record({ epoch: fc.maxSafeNat(), seq: fc.maxSafeNat() });
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const other = makeKey();
    fc.assert(
      fc.property(bytes, fc.uuid(), position, (raw, shopId, at) => {
        const key = makeCursorKey(idOf(Buffer.from(raw)), Buffer.from(raw));
        for (const id of [newId(), shopId]) {
          const text = encodeCursor(key, id, at);
          encodeCursor(other, id, at);
          const signed = Buffer.from(text, 'base64url');
          const hmac = createHmac('sha256', raw).update(id).update(signed.subarray(0, 21));
          assert.deepEqual(signed.subarray(21), hmac.digest().subarray(0, 16));
        }
      }),
    );
  });

  it('a cursor is refused if any character is changed', () => {
    const key = makeKey();
    const shopId = newId();
    const text = encodeCursor(key, shopId, { epoch: 1, seq: 12_345 });
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (let index = 0; index < text.length; index++) {
      for (const character of alphabet) {
        if (character === text[index]) continue;
        const altered = `${text.slice(0, index)}${character}${text.slice(index + 1)}`;
        assert.equal(decodeCursor(key, shopId, altered), null, altered);
      }
    }
  });

  it('a cursor is refused for another shop, under another key, and if truncated, extended or made up', () => {
    const key = makeKey();
    const shopId = newId();
    const text = encodeCursor(key, shopId, { epoch: 1, seq: 1 });
    assert.equal(decodeCursor(key, newId(), text), null);
    assert.equal(decodeCursor(makeKey(), shopId, text), null);
    for (const bad of [
      '',
      text.slice(1),
      `${text}A`,
      `${text}=`,
      `${text} `,
      `\0${text.slice(1)}`,
    ]) {
      assert.equal(cursorKeyId(bad), null);
      assert.equal(decodeCursor(key, shopId, bad), null);
    }
    fc.assert(fc.property(fc.string(), (made) => decodeCursor(key, shopId, made) === null));
  });
});
