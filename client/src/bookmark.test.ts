import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSameBookmark, readBookmark, writeBookmark } from './bookmark.ts';

describe('a bookmark', () => {
  it('is the same after it was written and read', () => {
    for (const cursor of [null, 'e1-7']) {
      for (const isReadingAgain of [false, true]) {
        const mark = { cursor, isReadingAgain };
        assert.deepEqual(readBookmark(writeBookmark(mark)), mark);
      }
    }
    assert.deepEqual(readBookmark(undefined), { cursor: null, isReadingAgain: false });
  });

  it('equals another one only if both cursor and restart state are equal', () => {
    const mark = { cursor: 'e1-7', isReadingAgain: false };
    assert.ok(isSameBookmark(mark, { ...mark }));
    assert.equal(isSameBookmark(mark, { ...mark, isReadingAgain: true }), false);
    assert.equal(isSameBookmark(mark, { ...mark, cursor: null }), false);
  });
});
