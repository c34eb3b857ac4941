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

/**
 * Returns 20 chunks that are available immediately. All but the first arrive before the bar may be
 * drawn again.
 */
function chunks(): Readable {
  return Readable.from(Array.from({ length: 20 }, () => Buffer.alloc(1_000)));
}

describe('the progress of an import', () => {
  it('the progress counts every file and ends at 100 %, and the bar is removed', async () => {
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

  it('the progress shows only the size read if the total is unknown, and nothing without a terminal', async () => {
    const terminal = recorder(true);
    await buffer(new Progress(null, terminal).count(chunks()));
    assert.equal(terminal.drawn.at(-1), '\r0.0 MB\u001b[K');
    const file = recorder(false);
    const progress = new Progress(20_000, file);
    await buffer(progress.count(chunks()));
    progress.finish();
    assert.deepEqual(file.drawn, []);
  });

  it('without a terminal, the progress is a line for each 10 %, after the first two seconds', async () => {
    const file = recorder(false);
    let nowMs = 0;
    const progress = new Progress(20_000, file, () => nowMs);
    const read = Readable.from(Array.from({ length: 20 }, () => Buffer.alloc(1_000)));
    read.on('data', () => (nowMs += 250));
    await buffer(progress.count(read));
    progress.finish();
    // The eighth of 20 chunks is read after two seconds.
    const percents = [40, 50, 60, 70, 80, 90, 100];
    assert.deepEqual(
      file.drawn,
      percents.map((percent) => `${percent} % read (0.0 MB)\n`),
    );
    const unknown = recorder(false);
    await buffer(new Progress(null, unknown, () => (nowMs += 9_000)).count(chunks()));
    assert.deepEqual(unknown.drawn, []);
  });

  it('the progress does not show 100 % before the end', () => {
    assert.match(renderBar(99_999, 100_000), / 99 % {2}0\.1 MB$/);
  });
});
