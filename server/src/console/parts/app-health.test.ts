import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFormatter } from '../format.ts';
import { type HealthFacts, healthOf, lagText } from './app-health.ts';
import { healthMessages } from './messages/apps.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const HOUR_MS = 3_600_000;
const ago = (ms: number): Date => new Date(NOW.getTime() - ms);

describe('the health of an app (decision 0194)', () => {
  const connection = {
    connectedAt: ago(10 * HOUR_MS),
    isApproved: true,
    lagChanges: 3,
    lastReadAt: ago(1_000),
    failingSince: null,
  };
  const of = (changes: Partial<NonNullable<HealthFacts['connection']>>, isEnabled = true): string =>
    healthOf({ isEnabled, connection: { ...connection, ...changes } }, NOW);

  it('is the worst state that applies', () => {
    assert.equal(of({}), 'good');
    assert.equal(of({ lastReadAt: null }), 'behind');
    assert.equal(of({ lastReadAt: null, failingSince: ago(1) }), 'failing');
    const worse = { lastReadAt: null, failingSince: ago(1), isApproved: false };
    assert.equal(of(worse), 'unapproved');
    assert.equal(of(worse, false), 'disabled');
    assert.equal(healthOf({ isEnabled: true, connection: null }, NOW), 'not_connected');
  });

  it('is behind an hour after the last read, or after it connected, while changes wait', () => {
    assert.equal(of({ lastReadAt: ago(HOUR_MS - 1) }), 'good');
    assert.equal(of({ lastReadAt: ago(HOUR_MS) }), 'behind');
    assert.equal(of({ lastReadAt: ago(HOUR_MS), lagChanges: 0 }), 'good');
    assert.equal(of({ lastReadAt: null, connectedAt: ago(HOUR_MS - 1) }), 'good');
  });

  it('states the lag in both languages', () => {
    const en = createFormatter('en', 'UTC', NOW);
    const ja = createFormatter('ja', 'UTC', NOW);
    assert.equal(lagText({ lagChanges: 0, lastReadAt: null }, en), healthMessages.en.upToDate);
    assert.equal(
      lagText({ lagChanges: 1, lastReadAt: NOW }, en),
      healthMessages.en.changesBehind('1', 1),
    );
    assert.equal(
      lagText({ lagChanges: 1_234, lastReadAt: NOW }, ja),
      healthMessages.ja.changesBehind('1,234', 1_234),
    );
    assert.equal(
      lagText({ lagChanges: 5, lastReadAt: null }, en),
      healthMessages.en.neverRead('5'),
    );
  });
});
