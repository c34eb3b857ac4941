import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFormatter } from './format.ts';

const NOW = new Date('2026-06-01T12:00:00Z');

describe('a relative time', () => {
  it('tells the next minute from the last one, and counts whole units from a minute on', () => {
    const texts = (language: 'en' | 'ja'): readonly string[] => {
      const { agoText } = createFormatter(language, 'UTC', NOW);
      return [-60, -59, 0, 1, 59, 60].map((s) => agoText(new Date(NOW.getTime() + s * 1_000)));
    };
    assert.deepEqual(texts('en'), [
      '1 minute ago',
      'just now',
      'just now',
      'in a moment',
      'in a moment',
      'in 1 minute',
    ]);
    assert.deepEqual(texts('ja'), [
      '1 分前',
      'たった今',
      'たった今',
      'まもなく',
      'まもなく',
      '1 分後',
    ]);
  });
});
