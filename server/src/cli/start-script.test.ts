// The start script `bin/cardport` on machines without a suitable Node.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CARDPORT_PROGRAM, temporaryFolder } from '../../test/cardport.ts';

const ADVICE = "Install it from https://nodejs.org or your system's packages.\n";
const OLD_NODE = fileURLToPath(
  new URL(
    `../../../client/test/node-versions/node_modules/node-20-${process.arch}/bin/node`,
    import.meta.url,
  ),
);
const BUSYBOX = findCommands('busybox').find(isStatic);

function findCommands(...names: readonly string[]): readonly string[] {
  const script = 'for name; do command -v "$name"; done';
  const { stdout } = spawnSync('sh', ['-c', script, 'sh', ...names], { encoding: 'utf8' });
  return stdout.split('\n').filter((file) => file !== '');
}

function isStatic(file: string): boolean {
  // ldd fails for a file without dynamic libraries, such as Debian's busybox-static.
  return existsSync(file) && spawnSync('ldd', [file]).status !== 0;
}

/** Puts the script into a folder where no package is installed. */
function copyScript(folder: string): string {
  const copy = join(folder, 'opt/server/bin/cardport');
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(CARDPORT_PROGRAM, copy);
  return copy;
}

/** Runs the script with only the programs that it uses and, if given, a Node on its PATH. */
function start(folder: string, node?: string): { status: number | null; stderr: string } {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const file of findCommands('uname', 'dirname', 'readlink')) {
    symlinkSync(file, join(bin, basename(file)));
  }
  if (node !== undefined) symlinkSync(node, join(bin, 'node'));
  const options = { env: { PATH: bin }, encoding: 'utf8' } as const;
  return spawnSync(copyScript(folder), ['serve'], options);
}

describe('the start script', () => {
  it('the script says what to install if there is no Node', () => {
    using folder = temporaryFolder();
    const { status, stderr } = start(folder.path);
    const reason = 'cardport: needs Node 24 or later, and there is no node on the PATH. ';
    assert.deepEqual([status, stderr], [1, reason + ADVICE]);
  });

  const hasOldNode = existsSync(OLD_NODE);
  const skip = hasOldNode ? false : 'run npm ci --prefix client/test/node-versions';
  it('the script names the version of a Node that is too old', { skip }, () => {
    using folder = temporaryFolder();
    const { status, stderr } = start(folder.path, OLD_NODE);
    const reason = 'cardport: needs Node 24 or later, and the node on the PATH is version 20. ';
    assert.deepEqual([status, stderr], [1, reason + ADVICE]);
  });

  const canChroot = BUSYBOX !== undefined && process.getuid?.() === 0;
  const skipRoot = canChroot ? false : 'needs root and busybox-static';
  it(
    'on a system without glibc, the script says that the packaged Node does not run',
    { skip: skipRoot },
    () => {
      using folder = temporaryFolder();
      const bin = join(folder.path, 'bin');
      const node = join(folder.path, `opt/node_modules/node-linux-${process.arch}/bin/node`);
      for (const path of [bin, dirname(node), join(folder.path, 'dev')]) {
        mkdirSync(path, { recursive: true });
      }
      copyFileSync(BUSYBOX ?? '', join(bin, 'busybox'));
      for (const name of ['sh', 'uname', 'dirname', 'readlink']) {
        symlinkSync('busybox', join(bin, name));
      }
      writeFileSync(join(folder.path, 'dev/null'), '');
      copyFileSync(process.execPath, node);
      copyScript(folder.path);
      const args = [folder.path, '/opt/server/bin/cardport', 'serve'];
      const options = { env: { PATH: '/bin' }, encoding: 'utf8' } as const;
      const { status, stderr } = spawnSync('/usr/sbin/chroot', args, options);
      const reason =
        'cardport: needs Node 24 or later, and there is no node on the PATH; ' +
        'the packaged one does not run on this system, which may lack glibc. ';
      assert.deepEqual([status, stderr], [1, reason + ADVICE]);
    },
  );
});
