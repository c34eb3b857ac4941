import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LEASE_MS } from './delivery-loop.ts';
import { senderLimits } from './guarded-sender.ts';
import { CLAIM_AGE_MS_MAX } from './send-claimed.ts';

describe('a lease', () => {
  it('a lease outlasts the longest attempt, and leaves 8 s for its result (decision 0105)', () => {
    assert.equal(LEASE_MS - CLAIM_AGE_MS_MAX - senderLimits.attemptMs, 8_000);
  });
});
