import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseStoredTokens, validateStoredTokens } from './tokens.ts';

const WHOLE = {
  accessToken: 'cpa_0',
  accessExpiresAt: '2026-06-01T12:00:00.000Z',
  refreshToken: 'cpr_0',
  scope: 'offline_access inventory:read',
};
const PENDING = { idempotencyKey: 'k', startedAt: '2026-06-01T11:59:00.000Z' };

describe('tokens that a store returns', () => {
  it('stored tokens are accepted as they were saved, without additional members', () => {
    const saved = { ...WHOLE, nextKey: 'n', pendingRefresh: { ...PENDING, nextKey: 'm' } };
    assert.deepEqual(validateStoredTokens(saved), saved);
    assert.deepEqual(validateStoredTokens({ ...WHOLE, id: 7, updated_at: new Date() }), WHOLE);
  });

  it('stored tokens may come from columns, so null means absent and a Date is converted to text', () => {
    const columns = {
      ...WHOLE,
      accessExpiresAt: new Date(WHOLE.accessExpiresAt),
      nextKey: null,
      pendingRefresh: null,
    };
    assert.deepEqual(validateStoredTokens(columns), WHOLE);
    const startedAt = new Date(PENDING.startedAt);
    const noted = validateStoredTokens({
      ...WHOLE,
      pendingRefresh: { ...PENDING, startedAt, nextKey: null },
    });
    assert.deepEqual(noted, { ...WHOLE, pendingRefresh: PENDING });
  });

  it('a refresh token that was not granted may be absent or null', () => {
    const { refreshToken: _, ...without } = { ...WHOLE, scope: 'inventory:read' };
    for (const tokens of [without, { ...without, refreshToken: null }]) {
      assert.equal(validateStoredTokens(tokens).refreshToken, null);
    }
    assert.equal(validateStoredTokens({ ...WHOLE, refreshToken: null }).refreshToken, null);
  });

  it('the error about stored tokens names the invalid member, but not its value', () => {
    const wrong: readonly (readonly [string, unknown])[] = [
      ['the tokens', '{"accessToken":"cpa_hidden"}'],
      ['accessToken', { ...WHOLE, accessToken: undefined }],
      ['accessToken', { ...WHOLE, accessToken: 'cpa_hidden\n' }],
      ['accessExpiresAt', { ...WHOLE, accessExpiresAt: '1780315200000' }],
      ['accessExpiresAt', { ...WHOLE, accessExpiresAt: 1_780_315_200_000 }],
      ['accessExpiresAt', { ...WHOLE, accessExpiresAt: new Date(Number.NaN) }],
      ['refreshToken', { ...WHOLE, refreshToken: undefined }],
      ['refreshToken', { ...WHOLE, refreshToken: '' }],
      ['scope', { ...WHOLE, scope: ['inventory:read'] }],
      ['nextKey', { ...WHOLE, nextKey: 7 }],
      ['pendingRefresh', { ...WHOLE, pendingRefresh: JSON.stringify(PENDING) }],
      [
        'pendingRefresh.idempotencyKey',
        { ...WHOLE, pendingRefresh: { ...PENDING, idempotencyKey: 'hidden\n' } },
      ],
      [
        'pendingRefresh.startedAt',
        { ...WHOLE, pendingRefresh: { ...PENDING, startedAt: 'yesterday' } },
      ],
      ['pendingRefresh.nextKey', { ...WHOLE, pendingRefresh: { ...PENDING, nextKey: 7 } }],
    ];
    for (const [member, value] of wrong) {
      assert.throws(
        () => validateStoredTokens(value),
        (error: unknown) =>
          error instanceof TypeError &&
          error.message.includes(`: ${member} `) &&
          !error.message.includes('hidden'),
        member,
      );
      assert.equal(parseStoredTokens(value), undefined);
    }
  });
});
