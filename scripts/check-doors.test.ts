import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  findCircle,
  findForbiddenDoors,
  findLongFiles,
  findUndeclaredPackages,
  listWrittenFiles,
  readRooms,
  roomOf,
} from './check-doors.ts';

const rooms = readRooms(readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8'));

describe('the check of rooms and doors', () => {
  it('reads the table of ARCHITECTURE.md', () => {
    assert.deepEqual([...(rooms.get('pages') ?? [])], ['http', 'base']);
    assert.equal(rooms.get('base')?.size, 0);
  });

  it('knows the room of a file', () => {
    assert.equal(roomOf('cli/shop.ts'), 'main');
    assert.equal(roomOf('service.ts'), 'main');
    assert.equal(roomOf('config-values.ts'), 'config');
    assert.equal(roomOf('database/packaged/cluster.ts', rooms), 'database');
    assert.equal(roomOf('console/mount.ts', rooms), 'console');
    assert.equal(roomOf('console/stock/mount.ts', rooms), 'console/stock');
  });

  it('refuses a door that leads up, sideways or out', () => {
    const door = (path: string, target: string): string[] =>
      findForbiddenDoors([{ path, text: `import type { X } from '${target}';\n` }], rooms);
    assert.equal(door('base/x.ts', '../database/database.ts').length, 1);
    assert.equal(door('api/x.ts', '../oauth/mount.ts').length, 1);
    assert.equal(door('api/x.ts', '../../test/test-database.ts').length, 1);
    assert.equal(door('nowhere/x.ts', '../base/clock.ts').length, 1);
    assert.equal(door('api/x.ts', '../base/clock.ts').length, 0);
    assert.equal(door('api/x.ts', './y.ts').length, 0);
  });

  it('refuses a door from one section of the console to another, and from their parts to a section', () => {
    const door = (path: string, target: string): string[] =>
      findForbiddenDoors([{ path, text: `import type { X } from '${target}';\n` }], rooms);
    assert.deepEqual(door('console/home/x.ts', '../stock/status-words.ts'), [
      'console/home/x.ts: a door from console/home to console/stock (console/stock/status-words.ts)',
    ]);
    assert.equal(door('console/parts/x.ts', '../stock/status-words.ts').length, 1);
    assert.equal(door('signin/x.ts', '../console/parts/table.ts').length, 1);
    assert.equal(door('console/home/x.ts', '../../oauth/mount.ts').length, 1);
    assert.equal(door('console/home/x.ts', '../parts/table.ts').length, 0);
    assert.equal(door('console/home/x.ts', '../visit.ts').length, 0);
    assert.equal(door('console/home/x.ts', '../../inventory/unit.ts').length, 0);
    assert.equal(door('console/sections.ts', './stock/mount.ts').length, 0);
  });

  it('finds a circle', () => {
    const files = [
      { path: 'base/a.ts', text: `import './b.ts';\n` },
      { path: 'base/b.ts', text: `import './c.ts';\n` },
      { path: 'base/c.ts', text: `import './b.ts';\n` },
    ];
    assert.deepEqual(findCircle(files), ['base/b.ts', 'base/c.ts', 'base/b.ts']);
    assert.equal(findCircle(files.slice(0, 2)), null);
  });

  it('refuses a package that is not declared', () => {
    const text = `import a from 'left-pad/x';\nimport b from '@scope/name/y';\nimport 'node:fs';\n`;
    const found = findUndeclaredPackages([{ path: 'base/a.ts', text }], new Set(['left-pad']));
    assert.equal(found.length, 1);
    assert.match(found[0] ?? '', /@scope\/name/);
  });

  it('refuses a file of more than 400 lines', () => {
    const ofLines = (lines: number): string[] =>
      findLongFiles([{ path: 'client/src/a.test.ts', text: 'x\n'.repeat(lines) }]);
    assert.deepEqual(ofLines(400), []);
    assert.deepEqual(ofLines(401), ['client/src/a.test.ts: has more than 400 lines']);
  });

  it('reads every workspace, tests too, and nothing that was installed or built', () => {
    const files = listWrittenFiles(fileURLToPath(new URL('..', import.meta.url)));
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
    assert.ok(files.includes('scripts/check-doors.test.ts'));
    assert.deepEqual(
      files.filter((path) => /(^|\/)(node_modules|dist)\//u.test(path)),
      [],
    );
  });
});
