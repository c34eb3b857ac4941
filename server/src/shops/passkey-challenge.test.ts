import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestDatabase } from '../../test/test-database.ts';
import { statement } from '../database/statement.ts';
import { saveChallenge, consumeChallenge } from './passkey-challenge.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');

const fillChallenges = statement(
  'test_fill_passkey_challenges',
  `insert into passkey_challenge (challenge_hash, account_id, expires_at)
   select 'kept ' || n, null, $1::timestamptz + n * interval '1 ms'
     from generate_series(1, 20000) as n`,
);
const countChallenges = statement<{ readonly kept: number; readonly oldest: Date }>(
  'test_count_passkey_challenges',
  `select count(*)::int as kept, min(expires_at) as oldest from passkey_challenge`,
);

describe('passkey challenges', () => {
  it('at most 20,000 challenges are stored, and another one replaces the oldest', async () => {
    await using base = await openTestDatabase();
    await base.db.query(fillChallenges, [NOW]);
    await saveChallenge(base.db, 'new', null, NOW);
    const after = await base.db.one(countChallenges);
    assert.deepEqual(after, { kept: 20_000, oldest: new Date(NOW.getTime() + 2) });
    assert.equal(await consumeChallenge(base.db, 'new', null, NOW), true);
    assert.equal(await consumeChallenge(base.db, 'new', null, NOW), false);
  });
});
