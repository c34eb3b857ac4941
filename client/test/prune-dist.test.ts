import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../prune-dist.mjs', import.meta.url));

describe('the build', () => {
  it('the build removes only the output of deleted sources', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cardport-test-'));
    const [dist, src] = [join(folder, 'dist'), join(folder, 'src')];
    for (const path of [join(dist, 'kept'), join(dist, 'gone'), join(src, 'kept')]) {
      mkdirSync(path, { recursive: true });
    }
    for (const name of ['a.ts', 'kept/b.ts']) writeFileSync(join(src, name), '');
    const built = ['a.js', 'a.d.ts', 'kept/b.js', 'kept/b.d.ts'];
    const left = ['old.js', 'old.d.ts', 'gone/c.js', 'kept/d.js', 'a.js.map', '.tsbuildinfo'];
    for (const name of [...built, ...left]) writeFileSync(join(dist, name), '');
    execFileSync(process.execPath, [PROGRAM, dist, src]);
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' });
    assert.deepEqual(files.toSorted(), [...built, 'kept'].toSorted());
    rmSync(folder, { recursive: true });
  });

  it('the package has no install script', () => {
    const file = fileURLToPath(new URL('../package.json', import.meta.url));
    const { scripts } = JSON.parse(readFileSync(file, 'utf8')) as { scripts: object };
    // npm warns users before it runs install scripts such as `prepare`.
    assert.deepEqual(Object.keys(scripts), ['build']);
  });
});
