import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ImportGraph } from './import-graph.ts';
import { findAffectedTests, layerOf, planBatches } from './test-plan.ts';

const graph = new ImportGraph(
  new Map([
    ['server/test/test-database.ts', ''],
    ['server/test/chromium.ts', `import { chromium } from 'playwright-core';\n`],
    ['a.test.ts', `import './a.ts';\n`],
    ['b.test.ts', `import './server/test/test-database.ts';\n`],
    [
      'c.test.ts',
      `import './server/test/test-database.ts';\nimport './server/test/chromium.ts';\n`,
    ],
    ['conformance/d.test.ts', `import './a.ts';\n`],
  ]),
);
const files = ['conformance/d.test.ts', 'c.test.ts', 'b.test.ts', 'a.test.ts'];

describe('the plan of a run', () => {
  it('a plan classifies a file by its imports', () => {
    assert.deepEqual(
      files.map((file) => layerOf(file, graph)),
      ['conformance', 'browser', 'service', 'unit'],
    );
  });

  it('a plan begins with unit tests and continues with the longest files', () => {
    const plan = planBatches(files, graph, { 'c.test.ts': 5, 'conformance/d.test.ts': 9 });
    assert.deepEqual(
      plan.map((batch) => batch.layer),
      ['unit', 'conformance', 'browser', 'service'],
    );
  });

  it('a plan contains each file once, with short files in one batch and each long file in a separate batch', () => {
    const many = Array.from({ length: 40 }, (_, index) => `unit-${index}.test.ts`);
    const plan = planBatches(many, graph, { 'unit-7.test.ts': 60 });
    assert.deepEqual(plan.flatMap((batch) => batch.files).toSorted(), many.toSorted());
    assert.deepEqual(plan[0]?.files, ['unit-7.test.ts']);
    assert.ok(plan.length >= 2 && plan.length <= 4, `${plan.length} batches`);
  });

  it('a plan for changed files contains the tests that import them, or all tests if dependencies changed', () => {
    assert.deepEqual(findAffectedTests(['server/test/chromium.ts'], files, graph), ['c.test.ts']);
    assert.deepEqual(findAffectedTests(['README.md'], files, graph), []);
    assert.deepEqual(findAffectedTests(['package-lock.json'], files, graph), files);
  });
});
