import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { challengeOf, idempotencyKeyOf, isSameText, randomText } from './pkce.ts';

describe('PKCE (RFC 7636)', () => {
  it('the challenge of appendix B is derived', async () => {
    const challenge = await challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk');
    assert.equal(challenge, 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
  });

  it('each verifier has 43 characters and is different', () => {
    const drawn = Array.from({ length: 1_000 }, () => randomText());
    assert.equal(new Set(drawn).size, 1_000);
    assert.equal(
      drawn.every((text) => /^[\w-]{43}$/.test(text)),
      true,
    );
  });
});

describe('the idempotency key of a request (decision 0140)', () => {
  it('the idempotency key depends only on purpose, token and secret', async () => {
    const key = await idempotencyKeyOf('refresh', 'cpr_1', 'cps_1');
    assert.equal(await idempotencyKeyOf('refresh', 'cpr_1', 'cps_1'), key);
    assert.match(key, /^[\w-]{43}$/);
    for (const other of [
      await idempotencyKeyOf('code', 'cpr_1', 'cps_1'),
      await idempotencyKeyOf('next', 'cpr_1', 'cps_1'),
      await idempotencyKeyOf('refresh', 'cpr_2', 'cps_1'),
      await idempotencyKeyOf('refresh', 'cpr_1', 'cps_2'),
    ]) {
      assert.notEqual(other, key);
    }
  });
});

describe('isSameText', () => {
  it('isSameText finds every difference between two texts', () => {
    assert.equal(isSameText('abc', 'abc'), true);
    assert.equal(isSameText('', ''), true);
    for (const other of ['', 'ab', 'abcd', 'abd', 'xbc', 'ABC', 'abć']) {
      assert.equal(isSameText('abc', other), false, other);
    }
    assert.equal(isSameText('😀a', '😁a'), false);
  });
});
