import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changeOf } from '../test/model-feed.ts';
import { type FeedProgress, trackProgress } from './feed-progress.ts';
import { FeedStuckError } from './local-errors.ts';

const FULL = [changeOf('a', 1)];

/** Records this many pages, each with a different cursor. */
function read(progress: FeedProgress, name: string, pages: number, changes = FULL): void {
  for (let at = 0; at < pages; at++) {
    const nextCursor = `${name}${at + 1}`;
    progress.recordPage(`${name}${at}`, { changes, nextCursor, hasMore: true });
  }
}

describe('the progress check of a feed reader', () => {
  it('the progress check fails if a cursor leads to itself, on the first page or a later page', () => {
    const same = { changes: FULL, nextCursor: 'same', hasMore: true };
    assert.throws(() => trackProgress().recordPage('same', same), FeedStuckError);
    for (const pages of [1, 2, 3, 6]) {
      const progress = trackProgress();
      read(progress, 'c', pages);
      progress.recordPage(`c${pages}`, same);
      assert.throws(() => progress.recordPage('same', same), FeedStuckError, `${pages}`);
    }
  });

  it('the progress check accepts the same cursor at the head', () => {
    const progress = trackProgress();
    read(progress, 'c', 3);
    for (let poll = 0; poll < 200; poll++) {
      progress.recordPage('c3', { changes: [], nextCursor: 'c3', hasMore: false });
    }
  });

  it('the progress check accepts 99 empty pages in a row, and another 99 after a page with changes', () => {
    const progress = trackProgress();
    read(progress, 'a', 99, []);
    read(progress, 'b', 1);
    read(progress, 'c', 99, []);
    assert.throws(() => read(progress, 'd', 1, []), /100 empty pages in a row/u);
  });
});
