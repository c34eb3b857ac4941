import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { inspect } from 'node:util';
import { fileTokenStore } from './file-token-store.ts';
import { memoryTokenStore, type StoredTokens, type TokenStore } from './tokens.ts';

const TOKENS: StoredTokens = {
  accessToken: 'cpa_one',
  accessExpiresAt: '2026-06-01T12:15:00.000Z',
  refreshToken: 'cpr_one',
  scope: 'offline_access inventory:read',
};
const PENDING = {
  ...TOKENS,
  nextKey: 'random',
  pendingRefresh: {
    idempotencyKey: 'k',
    startedAt: '2026-06-01T12:14:00.000Z',
    nextKey: 'other',
  },
};
const KEYS = [
  'default',
  'Default',
  '../../etc/passwd',
  '.',
  'ほしぞら',
  'x'.repeat(300),
  '',
  'a.json',
  'a',
  'A',
  // The file of key `A` is named after the hash of `A`. A key equal to that hash needs a different
  // file.
  createHash('sha256').update('A').digest('hex'),
];

let parent = '';

describe('a token store', () => {
  before(async () => {
    parent = await mkdtemp(join(tmpdir(), 'cardport-store-'));
  });
  after(async () => await rm(parent, { recursive: true }));

  for (const [name, open] of [
    ['memoryTokenStore', memoryTokenStore],
    ['fileTokenStore', () => fileTokenStore(join(parent, 'tokens', 'deeper'))],
  ] as const) {
    describe(name, () => {
      it('a store returns the saved tokens for any key, and null after remove', async () => {
        const store: TokenStore = open();
        for (const key of KEYS) assert.equal(await store.load(key), null);
        for (const [index, key] of KEYS.entries()) {
          await store.save(key, { ...PENDING, accessToken: `cpa_${index}` });
        }
        for (const [index, key] of KEYS.entries()) {
          assert.deepEqual(await store.load(key), { ...PENDING, accessToken: `cpa_${index}` });
        }
        await store.save('default', TOKENS);
        assert.deepEqual(await store.load('default'), TOKENS);
        await store.remove('default');
        await store.remove('default');
        assert.equal(await store.load('default'), null);
        assert.notEqual(await store.load('Default'), null);
      });

      it('`replacing` saves only if the given refresh token is stored', async () => {
        const store: TokenStore = open();
        const next = { ...TOKENS, refreshToken: 'cpr_two' };
        await store.save('default', TOKENS);
        assert.equal(await store.save('default', next, 'cpr_other'), false);
        assert.deepEqual(await store.load('default'), TOKENS);
        assert.notEqual(await store.save('default', next, 'cpr_one'), false);
        assert.deepEqual(await store.load('default'), next);
        await store.remove('default');
        assert.equal(await store.save('default', next, 'cpr_two'), false);
        assert.equal(await store.load('default'), null);
      });
    });
  }

  async function age(path: string): Promise<void> {
    const longAgo = new Date(Date.now() - 61_000);
    await utimes(path, longAgo, longAgo);
  }

  describe('fileTokenStore', () => {
    it('the store makes files that only their owner can read, leaves no partial file, and stays in its folder', async () => {
      const folder = join(parent, 'tokens', 'deeper');
      assert.equal((await stat(folder)).mode & 0o777, 0o700);
      const names = await readdir(folder);
      assert.equal(names.length, KEYS.length - 1);
      // Some file systems do not distinguish upper and lower case.
      assert.equal(new Set(names.map((name) => name.toLowerCase())).size, names.length);
      for (const name of names) {
        assert.match(name, /^[~\w-]+\.json$/);
        assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600);
      }
      assert.deepEqual(await readdir(join(parent, 'tokens')), ['deeper']);
    });

    it('the store removes temporary files of a process that died, but no file that is being written', async () => {
      const folder = await mkdtemp(join(parent, 'left-'));
      const [left, written] = [randomUUID(), randomUUID()].map((id) => `default.json.${id}.tmp`);
      await writeFile(join(folder, left ?? ''), '{"accessToken":"cpa_left"}');
      await writeFile(join(folder, written ?? ''), '{');
      await age(join(folder, left ?? ''));
      await fileTokenStore(folder).save('default', TOKENS);
      assert.deepEqual((await readdir(folder)).toSorted(), ['default.json', written]);
    });

    it('the store does not remove files of other programs', async () => {
      const folder = await mkdtemp(join(parent, 'shared-'));
      const names = ['upload.tmp', 'default.json.1.tmp'];
      for (const name of names) await writeFile(join(folder, name), 'theirs');
      const folders = ['work.tmp', `default.json.${randomUUID()}.tmp`];
      for (const name of folders) await mkdir(join(folder, name));
      for (const name of [...names, ...folders]) await age(join(folder, name));
      await fileTokenStore(folder).save('default', TOKENS);
      const found = await readdir(folder);
      assert.deepEqual(found.toSorted(), ['default.json', ...names, ...folders].toSorted());
    });

    it('an error names a corrupt file without showing its content', async () => {
      const folder = await mkdtemp(join(parent, 'broken-'));
      for (const text of ['', '{', 'cpr_secret', '{"accessToken":"cpa_secret"}', 'null', '[]']) {
        await writeFile(join(folder, 'default.json'), text);
        await assert.rejects(fileTokenStore(folder).load('default'), (error: unknown) => {
          const shown = inspect(error, { showHidden: true, depth: 9 });
          return shown.includes('default.json') && !shown.includes('secret');
        });
      }
    });

    it('one complete file remains when two processes write at the same time', async () => {
      const folder = await mkdtemp(join(parent, 'race-'));
      const stores = [fileTokenStore(folder), fileTokenStore(folder)];
      const saves = Array.from({ length: 20 }, async (_, index) => {
        await stores[index % 2]?.save('default', { ...TOKENS, accessToken: `cpa_${index}` });
      });
      await Promise.all(saves);
      assert.match((await stores[0]?.load('default'))?.accessToken ?? '', /^cpa_\d+$/);
      assert.deepEqual(await readdir(folder), ['default.json']);
    });

    it('the store saves tokens as soon as its folder can be created', async () => {
      const path = join(parent, 'taken');
      await writeFile(path, 'a file where the folder should be');
      const store = fileTokenStore(path);
      await assert.rejects(store.save('default', TOKENS), { syscall: 'mkdir' });
      await rm(path);
      await store.save('default', TOKENS);
      assert.deepEqual(await store.load('default'), TOKENS);
    });

    it('a missing file means that there are no tokens, and a file that cannot be read throws an error', async () => {
      const folder = await mkdtemp(join(parent, 'unreadable-'));
      await mkdir(join(folder, 'default.json'));
      await assert.rejects(fileTokenStore(folder).load('default'), { code: 'EISDIR' });
      const file = join(folder, 'file');
      await writeFile(file, '');
      await assert.rejects(fileTokenStore(file).load('default'), { code: 'ENOTDIR' });
    });

    it('a failed save throws the file system’s error, and leaves no partial file', async () => {
      const folder = await mkdtemp(join(parent, 'blocked-'));
      await mkdir(join(folder, 'default.json'));
      await assert.rejects(fileTokenStore(folder).save('default', TOKENS), { syscall: 'rename' });
      assert.deepEqual(await readdir(folder), ['default.json']);
    });
  });
});
