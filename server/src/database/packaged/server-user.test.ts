import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import pg from 'pg';
import { temporaryFolder } from '../../../test/cardport.ts';
import { copyMigratedCluster } from '../../../test/new-cluster.ts';
import { waitUntil } from '../../../test/wait-until.ts';
import { openPackaged, type PackagedServer } from './packaged-server.ts';
import { chooseOwnId, commandAsUser, NOBODY } from './server-user.ts';

async function countMigrations(server: PackagedServer): Promise<number> {
  const client = new pg.Client(server.clientConfig());
  await client.connect();
  const { rows } = await client.query<{ n: number }>(
    'select count(*)::int as n from schema_migration',
  );
  await client.end();
  return rows[0]?.n ?? 0;
}

function ownerOf(folder: string): number {
  return statSync(join(folder, 'data')).uid;
}

describe('the user of the packaged server if root starts it', { skip: !isRoot() }, () => {
  it('only a user that nothing else has keeps a privilege of root', () => {
    const capabilitiesOf = (uid: number): readonly string[] =>
      commandAsUser({ uid, gid: uid }, ['postgres']).filter((text) => text.includes('caps'));
    assert.deepEqual(capabilitiesOf(1_000), []);
    assert.match(capabilitiesOf(chooseOwnId('/x')).join(), /--ambient-caps=\+dac_/);
  });

  it('the server and its files have a user id that no account and no other program has', async () => {
    using parent = temporaryFolder();
    const folder = join(parent.path, 'c');
    const server = await openPackaged({ folder });
    const { uid, gid } = statSync(join(folder, 'data'));
    assert.ok(uid >= 60_706 && uid <= 61_183, String(uid));
    assert.equal(gid, uid);
    const account = new RegExp(`^[^:]+:[^:]*:${uid}:`, 'm');
    assert.doesNotMatch(readFileSync('/etc/passwd', 'utf8'), account);
    const owners = globSync(join(folder, 'data/**')).map(
      (name) => statSync(name, { throwIfNoEntry: false })?.uid ?? uid,
    );
    assert.deepEqual(new Set(owners), new Set([uid]));
    const pid = String(server.serverPid);
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    assert.match(status, new RegExp(`^Uid:\\s+${uid}\\s`, 'm'));
    assert.notEqual(spawnSync('sh', ['-c', `kill -0 ${pid}`], NOBODY).status, 0);
    assert.notEqual(chooseOwnId(folder), uid, 'the running server has the id');
    await server.close();
    assert.equal(chooseOwnId(folder), uid);
    const again = await openPackaged({ folder });
    assert.equal(ownerOf(folder), uid);
    await again.close();
  });

  it('a cluster of nobody or root gets its own user id at the next start, with a notice', async () => {
    using parent = temporaryFolder();
    const folder = join(parent.path, 'c');
    await copyMigratedCluster(folder);
    for (const [owner, name] of [
      [NOBODY.uid, 'nobody'],
      [0, 'root'],
    ] as const) {
      spawnSync('chown', ['-R', `${owner}:${owner}`, join(folder, 'data')]);
      const notices: string[] = [];
      for (let start = 0; start < 2; start++) {
        const server = await openPackaged({ folder, onFault: (e) => notices.push(e.message) });
        assert.ok((await countMigrations(server)) > 0);
        await server.close();
      }
      assert.equal(notices.length, 1);
      const notice = `user id ${ownerOf(folder)}, .* it belonged to ${name}$`;
      assert.match(notices[0] ?? '', new RegExp(notice));
    }
  });

  it('a cluster whose server crashed as nobody recovers first, and gets its own user id after that', async () => {
    using parent = temporaryFolder();
    const folder = join(parent.path, 'c');
    await copyMigratedCluster(folder);
    const data = join(folder, 'data');
    // This is what remains of a server that was killed.
    const { pid } = spawnSync('true');
    writeFileSync(join(data, 'postmaster.pid'), `${pid}\n${data}\n1\n`, { mode: 0o600 });
    spawnSync('chown', ['-R', '65534:65534', data]);
    const recovered = await openPackaged({ folder });
    assert.equal(ownerOf(folder), NOBODY.uid);
    await recovered.close();
    await waitUntil(() => !existsSync(join(data, 'postmaster.pid')));
    const server = await openPackaged({ folder });
    assert.ok(ownerOf(folder) < NOBODY.uid);
    assert.ok((await countMigrations(server)) > 0);
    await server.close();
  });
});

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
