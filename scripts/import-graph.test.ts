import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ImportGraph, importsOf, usesAny, resourcesOf } from './import-graph.ts';

describe('the imports of a module', () => {
  it('imports are found in every syntax, but not in text that only looks like an import', () => {
    const text = `import type { A } from './a.ts';\nimport {\n  b,\n} from './b.ts';\nexport { c } from './c.ts';\nimport './d.ts';\nconst e = await import('./e.ts');\n// import x from './no.ts';\nconst name = 'inventory import';\n`;
    assert.deepEqual(importsOf(text), ['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts']);
  });

  it('imports include files and folders that the module names by URL', () => {
    const text = `const a = new URL('../page.md', import.meta.url);\nnew Worker(new URL('./worker.ts', import.meta.url), {});\nnew URL('../..', import.meta.url);\nnew URL('sql/', import.meta.url);\nnew URL('/x', 'http://127.0.0.1');\n`;
    assert.deepEqual(resourcesOf(text), ['../page.md', './worker.ts', '../../', 'sql/']);
  });
});

describe('the graph of imports', () => {
  const graph = new ImportGraph(
    new Map([
      ['server/src/a.ts', `import './b.ts';\nimport 'fastify';\n`],
      ['server/src/b.ts', `import './a.ts';\nnew URL('sql/', import.meta.url);\n`],
      ['server/src/cli.ts', `import './b.ts';\n`],
      ['server/test/run.ts', `new URL('../bin/cardport', import.meta.url);\n`],
      ['docs.test.ts', `new URL('.', import.meta.url);\n`],
      ['examples/x.ts', `import { y } from '@cardport/client/node';\n`],
    ]),
  );

  it('the graph follows imports to the end, even in a cycle', () => {
    assert.deepEqual(
      [...graph.reach('server/src/a.ts')],
      ['server/src/a.ts', 'server/src/b.ts', 'fastify', 'server/src/sql/'],
    );
  });

  it('the graph follows a program to its modules, and the built SDK to its source', () => {
    assert.ok(graph.reach('server/test/run.ts').has('server/src/b.ts'));
    assert.ok(graph.reach('examples/x.ts').has('client/src/'));
  });

  it('the graph knows whether a changed file is included, in an included folder, or in the root', () => {
    const reached = graph.reach('server/src/a.ts');
    assert.ok(usesAny(reached, ['README.md', 'server/src/b.ts']));
    assert.ok(usesAny(reached, ['server/src/sql/0001.sql']));
    assert.ok(!usesAny(reached, ['server/src/cli.ts', 'server/src/sql.ts']));
    assert.ok(usesAny(graph.reach('docs.test.ts'), ['README.md']));
  });

  it('every module of the service is imported by some test, directly or indirectly', () => {
    const workspace = ImportGraph.read(new URL('..', import.meta.url).pathname);
    const tests = workspace.modules.filter((path) => path.endsWith('.test.ts'));
    const reached = new Set(tests.flatMap((test) => [...workspace.reach(test)]));
    const source = workspace.modules.filter((path) => /^server\/src\/.*(?<!\.d)\.ts$/.test(path));
    assert.ok(source.length > 600);
    assert.deepEqual(
      source.filter((path) => !reached.has(path)),
      [],
    );
  });
});
