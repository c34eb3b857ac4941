import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findNames, makeSearchableCard as card } from '../../test/searchable-card.ts';

describe('phonetic keys (4.8)', () => {
  it('a repeated letter finds nothing', () => {
    const cards = [card('ザクロ'), card('アオソラ'), card('オオカミ'), card('カード')];
    for (const text of ['zz', 'aaaa', 'a'.repeat(150), 'oooo', 'aaaa zz', 'zzz kado']) {
      assert.deepEqual(findNames(cards, text), [], text);
    }
    // A single letter finds only names whose sound begins with it.
    assert.deepEqual(findNames(cards, 'z'), ['ザクロ']);
    assert.deepEqual(findNames(cards, 'o'), ['オオカミ']);
    assert.deepEqual(findNames(cards, 'ookam'), ['オオカミ']);
    assert.deepEqual(findNames(cards, 'kaado'), ['カード']);
  });
});
