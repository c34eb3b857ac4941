import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { openPageRunner, type PageRunner, renderFault, renderReport } from './docs-pages.ts';

/** Defines tests that run or check the code blocks of these pages. */
export function testCodeBlocks(pages: readonly string[]): void {
  let runner: PageRunner;
  before(async () => {
    runner = await openPageRunner();
  });
  after(async () => await runner[Symbol.asyncDispose]());

  for (const page of pages) {
    it(`the blocks of ${page} run, or have the format that they name`, async (context) => {
      const report = await runner.run(page);
      const lines = renderReport(report);
      for (const line of lines) context.diagnostic(line);
      assert.deepEqual(report.faults, [], lines.join('\n'));
    });
  }

  it('the TypeScript of all pages compiles', () => {
    assert.deepEqual(runner.checkTypes().map(renderFault), []);
  });
}
