import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const folder = join(import.meta.dirname, '..');

/** Lists the files of the program that contain `pattern`. */
function filesWith(pattern: RegExp): string[] {
  return globSync('**/*.ts', { cwd: folder })
    .filter((path) => !path.endsWith('.test.ts'))
    .filter((path) => pattern.test(readFileSync(join(folder, path), 'utf8')))
    .toSorted();
}

describe('the emulator (decision 0150)', () => {
  it('is imported only by the emulate command, so serve has no admin API and no seed data', () => {
    const outside = filesWith(/from '[^']*\/emulator\/|import\('[^']*\/emulator\//);
    assert.deepEqual(outside, ['cli/emulate-service.ts', 'cli/emulate.ts']);
  });

  it('writes its constant credentials only into a temporary database', () => {
    assert.deepEqual(filesWith(/from '\.\/seed\.ts'/), ['emulator/backend.ts']);
    assert.deepEqual(filesWith(/cps_emulated/), ['emulator/credentials.ts']);
    const seed = readFileSync(join(folder, 'emulator/seed.ts'), 'utf8');
    assert.match(seed, /export async function seed\(\s*\{ db \}: TemporaryDatabase,/);
  });
});
