import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  findCycle,
  findForbiddenImports,
  findLongFiles,
  findUndeclaredPackages,
  listSourceFiles,
  readModuleRules,
  moduleOf,
} from './check-imports.ts';

const rules = readModuleRules(readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8'));

describe('the check of modules and imports', () => {
  it('the check reads the table of ARCHITECTURE.md', () => {
    assert.deepEqual([...(rules.get('html') ?? [])], ['http', 'base']);
    assert.equal(rules.get('base')?.size, 0);
  });

  it('the check finds the module of a file', () => {
    assert.equal(moduleOf('cli/shop.ts'), 'main');
    assert.equal(moduleOf('runtime/service.ts'), 'main');
    assert.equal(moduleOf('config/values.ts'), 'config');
    assert.equal(moduleOf('database/packaged/cluster.ts', rules), 'database');
    assert.equal(moduleOf('console/mount.ts', rules), 'console');
    assert.equal(moduleOf('console/stock/mount.ts', rules), 'console/stock');
  });

  it('the check refuses an import that the table does not allow: upwards, sideways or out of the project', () => {
    const found = (path: string, target: string): string[] =>
      findForbiddenImports([{ path, text: `import type { X } from '${target}';\n` }], rules);
    assert.equal(found('base/x.ts', '../database/database.ts').length, 1);
    assert.equal(found('api/x.ts', '../oauth/mount.ts').length, 1);
    assert.equal(found('api/x.ts', '../../test/test-database.ts').length, 1);
    assert.equal(found('nowhere/x.ts', '../base/clock.ts').length, 1);
    assert.equal(found('api/x.ts', '../base/clock.ts').length, 0);
    assert.equal(found('api/x.ts', './y.ts').length, 0);
  });

  it('the check refuses an import between two sections of the console, and from the shared parts into a section', () => {
    const found = (path: string, target: string): string[] =>
      findForbiddenImports([{ path, text: `import type { X } from '${target}';\n` }], rules);
    assert.deepEqual(found('console/home/x.ts', '../stock/status-text.ts'), [
      'console/home/x.ts: console/home must not import console/stock (console/stock/status-text.ts)',
    ]);
    assert.equal(found('console/parts/x.ts', '../stock/status-text.ts').length, 1);
    assert.equal(found('sign-in/x.ts', '../console/parts/table.ts').length, 1);
    assert.equal(found('console/home/x.ts', '../../oauth/mount.ts').length, 1);
    assert.equal(found('console/home/x.ts', '../parts/table.ts').length, 0);
    assert.equal(found('console/home/x.ts', '../request-context.ts').length, 0);
    assert.equal(found('console/home/x.ts', '../../inventory/unit.ts').length, 0);
    assert.equal(found('console/sections.ts', './stock/mount.ts').length, 0);
  });

  it('the check finds a cycle of imports', () => {
    const files = [
      { path: 'base/a.ts', text: `import './b.ts';\n` },
      { path: 'base/b.ts', text: `import './c.ts';\n` },
      { path: 'base/c.ts', text: `import './b.ts';\n` },
    ];
    assert.deepEqual(findCycle(files), ['base/b.ts', 'base/c.ts', 'base/b.ts']);
    assert.equal(findCycle(files.slice(0, 2)), null);
  });

  it('the check refuses the import of an undeclared package', () => {
    const text = `import a from 'left-pad/x';\nimport b from '@scope/name/y';\nimport 'node:fs';\n`;
    const found = findUndeclaredPackages([{ path: 'base/a.ts', text }], new Set(['left-pad']));
    assert.equal(found.length, 1);
    assert.match(found[0] ?? '', /@scope\/name/);
  });

  it('the check refuses a file of more than 400 lines', () => {
    const ofLines = (lines: number): string[] =>
      findLongFiles([{ path: 'client/src/a.test.ts', text: 'x\n'.repeat(lines) }]);
    assert.deepEqual(ofLines(400), []);
    assert.deepEqual(ofLines(401), ['client/src/a.test.ts: has more than 400 lines']);
  });

  it('the check reads every workspace with its tests, but no installed or generated files', () => {
    const files = listSourceFiles(fileURLToPath(new URL('..', import.meta.url)));
    for (const folder of [
      'bench',
      'client/src',
      'client/test',
      'conformance',
      'examples/partner-app/src',
      'generated-client',
      'scripts',
      'server/prove',
      'server/src',
      'server/test',
    ]) {
      assert.ok(
        files.some((path) => path.startsWith(`${folder}/`)),
        folder,
      );
    }
    assert.ok(files.includes('scripts/check-imports.test.ts'));
    assert.deepEqual(
      files.filter((path) => /(^|\/)(node_modules|dist)\//u.test(path)),
      [],
    );
  });
});
