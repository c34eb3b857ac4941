import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { Progress, renderBar } from './progress.ts';

function recorder(isTTY: boolean): { readonly isTTY: boolean; write(text: string): void } & {
  readonly drawn: string[];
} {
  const drawn: string[] = [];
  return { isTTY, drawn, write: (text) => void drawn.push(text) };
}

/** 20 chunks at once: all but the first fall within one step of the bar. */
function chunks(): Readable {
  return Readable.from(Array.from({ length: 20 }, () => Buffer.alloc(1_000)));
}

describe('the progress of an import', () => {
  it('counts every file, ends at 100 %, and removes the bar', async () => {
    const terminal = recorder(true);
    const progress = new Progress(40_000, terminal);
    assert.equal((await buffer(progress.count(chunks()))).length, 20_000);
    assert.equal(
      terminal.drawn.at(-1),
      `\r[${'#'.repeat(15)}${'-'.repeat(15)}]  50 %  0.0 MB\u001b[K`,
    );
    await buffer(progress.count(chunks()));
    assert.equal(terminal.drawn.at(-1), `\r[${'#'.repeat(30)}] 100 %  0.0 MB\u001b[K`);
    progress.finish();
    assert.equal(terminal.drawn.at(-1), '\r\u001b[K');
  });

  it('shows only the size if the end is unknown, and nothing without a terminal', async () => {
    const terminal = recorder(true);
    await buffer(new Progress(null, terminal).count(chunks()));
    assert.equal(terminal.drawn.at(-1), '\r0.0 MB\u001b[K');
    const file = recorder(false);
    const progress = new Progress(20_000, file);
    await buffer(progress.count(chunks()));
    progress.finish();
    assert.deepEqual(file.drawn, []);
  });

  it('does not show 100 % before the end', () => {
    assert.match(renderBar(99_999, 100_000), / 99 % {2}0\.1 MB$/);
  });
});
