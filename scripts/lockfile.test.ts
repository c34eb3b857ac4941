import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

describe('the dependencies', () => {
  it('the lockfile contains no download addresses, so that npm ci uses the configured registry', () => {
    const lock = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');
    assert.doesNotMatch(lock, /"resolved": "https?:/);
  });

  it('every version of a dependency is exact', () => {
    for (const file of ['../package.json', '../server/package.json']) {
      const manifest: unknown = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
      assert.ok(typeof manifest === 'object' && manifest !== null);
      for (const group of ['dependencies', 'devDependencies', 'optionalDependencies']) {
        const versions: unknown = Reflect.get(manifest, group) ?? {};
        for (const [name, version] of Object.entries(Object(versions))) {
          assert.match(String(version), /^\d+\.\d+\.\d+(?:-[\w.]+)?$/, name);
        }
      }
    }
  });
});
