import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestDatabase } from '../../test/test-database.ts';
import { PasskeyChallenges, useChallenge } from './passkey-challenge.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const EXPIRY = new Date('2026-06-01T12:05:00.000Z');

describe('passkey challenges', () => {
  const challenges = new PasskeyChallenges(Buffer.alloc(32, 1));

  it('a challenge is valid for its purpose and key until it expires', () => {
    const challenge = challenges.issue('sign in x', NOW);
    assert.notEqual(challenges.issue('sign in x', NOW), challenge);
    assert.deepEqual(challenges.findExpiry(challenge, 'sign in x', NOW), EXPIRY);
    const last = new Date(EXPIRY.getTime() - 1);
    assert.deepEqual(challenges.findExpiry(challenge, 'sign in x', last), EXPIRY);
    assert.equal(challenges.findExpiry(challenge, 'sign in x', EXPIRY), null);
    assert.equal(challenges.findExpiry(challenge, 'sign in y', NOW), null);
    const others = new PasskeyChallenges(Buffer.alloc(32, 2));
    assert.equal(others.findExpiry(challenge, 'sign in x', NOW), null);
  });

  it('a text with any other character or length is refused', () => {
    const challenge = challenges.issue('', NOW);
    for (let at = 0; at < challenge.length; at++) {
      const other = challenge[at] === '_' ? '-' : '_';
      const changed = challenge.slice(0, at) + other + challenge.slice(at + 1);
      assert.equal(challenges.findExpiry(changed, '', NOW), null, changed);
      assert.equal(challenges.findExpiry(challenge.slice(0, at), '', NOW), null);
    }
    for (const end of ['A', '=', '\n', challenge]) {
      assert.equal(challenges.findExpiry(challenge + end, '', NOW), null);
    }
  });

  it('a challenge is used once', async () => {
    await using base = await openTestDatabase();
    const uses = [1, 2, 3].map(async () => await useChallenge(base.db, 'a', EXPIRY));
    assert.equal((await Promise.all(uses)).filter(Boolean).length, 1);
    assert.equal(await useChallenge(base.db, 'b', EXPIRY), true);
  });
});
