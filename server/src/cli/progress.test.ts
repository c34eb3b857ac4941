import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { renderBar, showProgress } from './progress.ts';

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
  it('ends at 100 %, and the bar goes away', async () => {
    const terminal = recorder(true);
    const shown = showProgress({ bytes: chunks(), bytesTotal: 20_000 }, terminal);
    assert.equal((await buffer(shown.bytes)).length, 20_000);
    assert.equal(terminal.drawn.at(-1), `\r[${'#'.repeat(30)}] 100 %  0.0 MB\u001b[K`);
    shown.finish();
    assert.equal(terminal.drawn.at(-1), '\r\u001b[K');
  });

  it('shows the size alone of what has no known end, and nothing elsewhere than on a terminal', async () => {
    const terminal = recorder(true);
    await buffer(showProgress({ bytes: chunks(), bytesTotal: null }, terminal).bytes);
    assert.equal(terminal.drawn.at(-1), '\r0.0 MB\u001b[K');
    const file = recorder(false);
    const shown = showProgress({ bytes: chunks(), bytesTotal: 20_000 }, file);
    await buffer(shown.bytes);
    shown.finish();
    assert.deepEqual(file.drawn, []);
  });

  it('does not say 100 % before', () => {
    assert.match(renderBar(99_999, 100_000), / 99 % {2}0\.1 MB$/);
  });
});
