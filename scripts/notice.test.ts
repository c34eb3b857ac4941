import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';
import { findProductionPackages, renderNotice } from './notice.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

describe('NOTICE', () => {
  it('is current (npm run docs), and each package has a license', () => {
    const notice = readFileSync(new URL('../NOTICE', import.meta.url), 'utf8');
    assert.equal(notice, renderNotice(ROOT));
    const titles = notice.split('\n').filter((line) => /^@?[a-z][^ ]* \d/.test(line));
    assert.ok(titles.length > 50, String(titles.length));
    for (const title of titles) assert.match(title, /: [A-Z\d(]/);
    assert.match(notice, /^fastify \d.*: MIT\n {2}Copyright .*Fastify/m);
  });

  it('lists exactly the packages that are needed at run time, resolved from the nearest folder', () => {
    const lock = {
      server: { dependencies: { a: '1' }, optionalDependencies: { native: '1' } },
      'node_modules/a': { dependencies: { b: '1', gone: '1' } },
      'node_modules/a/node_modules/b': { dependencies: { a: '1' } },
      'node_modules/b': {},
      'node_modules/native': { os: ['linux'] },
      'node_modules/tool': { dependencies: { b: '1' } },
    };
    assert.deepEqual(findProductionPackages(lock), [
      'node_modules/a',
      'node_modules/native',
      'node_modules/a/node_modules/b',
    ]);
  });

  it('LICENSE, the SDK’s copy and NOTICE name the same copyright holder', () => {
    const read = (file: string): string =>
      readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
    assert.equal(read('client/LICENSE'), read('LICENSE'));
    for (const file of ['LICENSE', 'NOTICE']) {
      assert.match(read(file), /^ *Copyright \d{4} the Cardport authors$/m);
    }
  });
});
