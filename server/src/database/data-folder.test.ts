import assert from 'node:assert/strict';
import { chmodSync, chownSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../test/cardport.ts';
import { runCardportInProcess } from '../../test/cardport-in-process.ts';
import { findFolderRisk } from './data-folder.ts';

/** Only root can give files to another user. */
const needsRoot = { skip: process.getuid?.() !== 0 };
const OTHER = 61_500;

describe('the folder DATA_DIR', () => {
  it('a folder that all users may write to is refused at the start and by doctor', async () => {
    using parent = temporaryFolder();
    const folder = join(parent.path, 'data');
    mkdirSync(folder);
    for (const mode of [0o777, 0o1777, 0o702]) {
      chmodSync(folder, mode);
      assert.throws(() => findFolderRisk(folder), /all users may write to it: .* "chmod o-w"/);
    }
    const environment = { DATA_DIR: folder };
    const add = ['shop', 'add', '--name', 'A', '--slug', 'a'];
    const refused = await runCardportInProcess(add, { environment });
    assert.equal(refused.code, 1, refused.stdout);
    assert.match(refused.stderr, /DATA_DIR .* cannot be used: all users may write to it/);
    const { stdout } = await runCardportInProcess(['doctor'], { environment });
    assert.match(stdout, /problem +data folder: DATA_DIR .* all users may write to it/);
    chmodSync(folder, 0o755);
    assert.equal(findFolderRisk(folder), null);
    assert.equal(findFolderRisk(join(folder, 'missing')), null);
  });

  it('a folder that its group may write to is used, with a warning', async () => {
    using parent = temporaryFolder();
    const folder = join(parent.path, 'data');
    mkdirSync(folder);
    for (const mode of [0o775, 0o2770]) {
      chmodSync(folder, mode);
      assert.match(findFolderRisk(folder) ?? '', /^the group \d+ may write to DATA_DIR /);
    }
    const environment = { DATA_DIR: folder };
    const { stdout } = await runCardportInProcess(['doctor'], { environment });
    assert.match(stdout, /warning +data folder: the group \d+ may write/);
  });

  it(
    'what another user has put into the folder is refused before the first start',
    needsRoot,
    () => {
      for (const name of ['secret-key', 'mail', 'photos', 'postgresql', 'demo.json']) {
        using parent = temporaryFolder();
        const path = join(parent.path, name);
        symlinkSync('/etc/passwd', path);
        assert.equal(findFolderRisk(parent.path), null, 'a link of root');
        lchownSync(path, OTHER, OTHER);
        const refused = new RegExp(`cannot be used: ${name} belongs to another user: remove it`);
        assert.throws(() => findFolderRisk(parent.path), refused);
      }
      using parent = temporaryFolder();
      writeFileSync(join(parent.path, 'mail'), '');
      chownSync(join(parent.path, 'mail'), OTHER, OTHER);
      assert.throws(() => findFolderRisk(parent.path), /mail belongs to another user/);
      chownSync(parent.path, OTHER, OTHER);
      assert.match(findFolderRisk(parent.path) ?? '', /belongs to the user id 61500$/);
    },
  );

  it('a folder of another user is refused, unless root uses it', needsRoot, (t) => {
    using parent = temporaryFolder();
    t.mock.property(process, 'getuid', () => OTHER);
    assert.equal(findFolderRisk(parent.path), null, 'root is trusted');
    chownSync(parent.path, 1_000, 1_000);
    assert.throws(() => findFolderRisk(parent.path), /it belongs to another user: make this user/);
  });
});
