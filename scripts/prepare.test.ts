import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';

const PREPARE = fileURLToPath(new URL('prepare.mjs', import.meta.url));

describe('prepare.mjs', () => {
  for (const version of ['18.20.4', '20.8.1']) {
    it(`prepare.mjs refuses Node ${version}, for which npm skips packages`, () => {
      const code = `Object.defineProperty(process, 'version', { value: 'v${version}' })`;
      const args = ['--import', `data:text/javascript,${encodeURIComponent(code)}`, PREPARE];
      const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      assert.equal(status, 1);
      assert.match(
        stderr,
        new RegExp(`requires Node 20\\.9 or later, but this is Node ${version},`),
      );
    });
  }
});
