import assert from 'node:assert/strict';
import { chownSync, existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import {
  runCardport,
  cleanEnvironment,
  CARDPORT_PROGRAM,
  type Run,
  startServe,
  temporaryFolder,
} from '../../test/cardport.ts';
import { runCardportInProcess, environmentOf } from '../../test/cardport-in-process.ts';
import { holdTransaction } from '../../test/held-transaction.ts';
import { temporaryDataFolder } from '../../test/new-cluster.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { NOBODY } from '../database/packaged/server-user.ts';
import { statement } from '../database/statement.ts';

const insertNewerMigration = statement(
  'test_insert_newer_migration',
  `insert into schema_migration (number, name) values (9999, 'from_the_future')`,
);

export const lockKeys = statement('test_lock_keys', 'lock table shop_key in access exclusive mode');

export const countLockWaits = statement<{ readonly count: number }>(
  'test_count_lock_waits',
  `select count(*)::int as count from pg_locks
  where not granted and relation = 'shop_key'::regclass`,
);

// The tests run concurrently, because they mostly wait for processes.
describe('the process of the service', { concurrency: 3 }, () => {
  it('the process creates DATA_DIR, shares its database with commands and a second process, and exits with 0', async () => {
    using folder = temporaryFolder();
    // The service creates at most sixteen missing folders.
    const data = join(folder.path, 'a/'.repeat(16));
    const environment = { DATA_DIR: data, DRAIN_NOTICE_SECONDS: '0' };
    const add = ['shop', 'add', '--name', 'Kumo Cards', '--slug', 'kumo'];
    const before = await runCardport(add, { environment });
    assert.equal(before.code, 0, before.stderr);
    assert.equal(statSync(data).mode & 0o777, 0o700);
    assert.ok(!isDatabaseRunning(data), 'a command stops the server that it started');
    await using first = await startServe(environment);
    await using second = await startServe(environment);
    assert.equal(statSync(join(data, 'secret-key')).mode & 0o777, 0o600);
    const again = await runCardportInProcess(add, { environment });
    assert.match(again.stderr, /kumo/);
    assert.equal(
      again.code,
      1,
      'a command beside two services sees the shop that an earlier command added',
    );
    assert.equal(await first.stop('SIGTERM'), 0);
    assert.equal((await fetch(`${second.url}/readyz`)).status, 200);
    assert.ok(isDatabaseRunning(data), 'the second process still uses it');
    assert.equal(await second.stop('SIGTERM'), 0);
    assert.ok(!isDatabaseRunning(data));
  });

  it('the process does not start if photos cannot be stored, and says why', async () => {
    using folder = await temporaryDataFolder();
    const path = join(folder.path, 'no-folder');
    writeFileSync(path, '');
    const settings = { DATA_DIR: folder.path, PHOTO_STORE: path, PORT: '0' };
    const refused = await runCardportInProcess(['serve'], { environment: settings });
    assert.equal(refused.code, 1);
    assert.ok(refused.stderr.includes(`photos cannot be stored in ${path} (PHOTO_STORE): EEXIST`));
    assert.equal(refused.stdout, '');
  });

  it('the process stops the packaged database and exits if the service cannot start', async () => {
    using folder = await temporaryDataFolder();
    const data = { DATA_DIR: folder.path };
    // The address is reserved for documentation (RFC 5737), so no machine has it.
    const environment = {
      ...data,
      HOST: '203.0.113.1',
      PUBLIC_URL: 'https://x.example',
      PORT: '0',
    };
    const refused = await runCardport(['serve'], { environment });
    assert.equal(refused.code, 1, refused.stderr);
    assert.match(refused.stderr, /EADDRNOTAVAIL.* 203\.0\.113\.1/);
    assert.ok(!isDatabaseRunning(folder.path));
    const key = join(folder.path, 'secret-key');
    writeFileSync(key, '');
    const keyless = await runCardportInProcess(['shop', 'list'], { environment: data });
    assert.equal(keyless.code, 1, keyless.stderr);
    assert.match(keyless.stderr, /secret-key is empty/);
    assert.ok(!isDatabaseRunning(folder.path));
  });

  it(
    'the process refuses a secret-key file that belongs to another user',
    { skip: process.getuid?.() !== 0 },
    async () => {
      using folder = await temporaryDataFolder();
      const key = join(folder.path, 'secret-key');
      writeFileSync(key, 'k'.repeat(43));
      chownSync(key, NOBODY.uid, NOBODY.gid);
      const environment = { DATA_DIR: folder.path };
      const refused = await runCardportInProcess(['shop', 'list'], { environment });
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /secret-key belongs to another user/);
    },
  );

  it('no database keeps running after the process or npm was killed', async () => {
    using folder = await temporaryDataFolder();
    const environment = { DATA_DIR: folder.path, DRAIN_NOTICE_SECONDS: '0' };
    await using killed = await startServe(environment);
    await killed.stop('SIGKILL');
    await waitUntil(() => !isDatabaseRunning(folder.path));
    const listed = await runCardportInProcess(['shop', 'list', '--json'], { environment });
    assert.equal(listed.stdout, '{"shops":[]}\n', listed.stderr);
    // A killed npm forwards no signal, but the service must still stop the database.
    const settings = { ...environment, PORT: '0', npm_lifecycle_script: 'cardport' };
    const env = cleanEnvironment(settings);
    const npm = spawn('sh', ['-c', `${CARDPORT_PROGRAM} serve; true`], { env });
    let printed = '';
    npm.stdout.on('data', (chunk) => (printed += String(chunk)));
    await waitUntil(() => printed.includes('Cardport is ready at'));
    const closed = once(npm.stdout, 'close');
    npm.kill('SIGKILL');
    await closed;
    assert.ok(!isDatabaseRunning(folder.path), 'the service stopped the database');
  });

  it('the error says which port is in use, and which setting to change', async () => {
    using folder = await temporaryDataFolder();
    const holder = createServer();
    await new Promise<void>((resolve) => {
      holder.listen(0, '127.0.0.1', resolve);
    });
    const address = holder.address();
    const port = typeof address === 'object' && address !== null ? String(address.port) : '';
    const environment = { DATA_DIR: folder.path, PORT: port };
    const [refused, unmetered] = await Promise.all([
      runCardportInProcess(['serve'], { environment }),
      runCardport(['serve'], { environment: { ...environment, PORT: '0', METRICS_PORT: port } }),
    ]).finally(() => holder.close());
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, new RegExp(`127.0.0.1:${port} is used .* another PORT`));
    assert.equal(unmetered.code, 1, 'the process exits, so everything opened before was closed');
    assert.match(unmetered.stderr, new RegExp(`:${port} is used .* another METRICS_PORT`));
    assert.ok(!isDatabaseRunning(folder.path));
  });

  it('the process exits immediately on a second signal, even a different one', async () => {
    await using base = await openTestDatabase();
    const environment = { ...environmentOf(base), DRAIN_NOTICE_SECONDS: '600' };
    await using served = await startServe(environment, ['serve', '--no-delivery']);
    await waitUntil(() =>
      served.printed().includes('webhooks are delivered by processes that run'),
    );
    process.kill(served.pid, 'SIGINT');
    await waitUntil(() => served.printed().includes('SIGINT: finishing the requests in progress'));
    // The exit code is null because the signal ended the process.
    assert.equal(await served.stop('SIGTERM'), null);
  });

  for (const [how, drainSeconds] of [
    ['answers a request in progress and exits with 0', '30'],
    ['exits with 1 if it had to abort a request at the deadline', '0'],
  ] as const) {
    it(`the process ${how} after SIGTERM`, async () => {
      await using base = await openTestDatabase();
      const environment = {
        ...environmentOf(base),
        DRAIN_NOTICE_SECONDS: '0',
        DRAIN_SECONDS: drainSeconds,
      };
      await using served = await startServe(environment);
      const held = holdTransaction(base.db, async (tx) => void (await tx.query(lockKeys)));
      await held.begun;
      const headers = { authorization: `Bearer csk_${'x'.repeat(43)}` };
      const asked = fetch(`${served.url}/shop/v1/sites`, { headers });
      const cut = drainSeconds === '0' ? assert.rejects(asked) : null;
      await waitUntil(async () => ((await base.db.one(countLockWaits))?.count ?? 0) > 0);
      const stopped = served.stop('SIGTERM');
      await waitUntil(() => served.printed().includes('SIGTERM: finishing the requests'));
      if (cut === null) {
        held.release();
        // The key does not exist, but the request was answered.
        assert.equal((await asked).status, 401);
        assert.equal(await stopped, 0);
        assert.doesNotMatch(served.printed(), /aborted at the deadline/);
        await assert.rejects(fetch(`${served.url}/readyz`));
      } else {
        assert.equal(await stopped, 1);
        assert.match(served.printed(), /were aborted at the deadline/);
        await cut;
        held.release();
      }
      await held.done;
    });
  }

  it('the error lists every invalid setting, and nothing is started', async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, 'data');
    const environment = { DATA_DIR: data, PORT: 'x', LOG_LEVEL: 'loud', SECRET_KEY: 'hunter2' };
    const refused = await runCardportInProcess(['serve'], { environment });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /- PORT .*\n\s+- SECRET_KEY .*\n\s+- LOG_LEVEL /);
    assert.doesNotMatch(refused.stderr, /hunter2/);
    assert.ok(!existsSync(data));
  });

  for (const [what, path, reason] of [
    ['a file', 'file', /file is a file, not a folder\n$/],
    ['a path below a file', 'file/data', /file is a file, not a folder\n$/],
    ['a broken symbolic link', 'link', /the path is a broken symbolic link\n$/],
    ['no folder can be created', '/proc/nope', /\/proc\/nope cannot be created: .+\n$/],
    ['no folder can be created above', '/proc/nope/a/b', /\/proc\/nope cannot be created: .+\n$/],
    ['no file can be created', '/proc', /\/proc\/postgresql cannot be created: .+\n$/],
    ['17 missing parents', 'a/'.repeat(17), /more than 16 of its parent folders are missing\n$/],
    ['a name that is too long', 'x'.repeat(300), /the name is too long\n$/],
  ] as const) {
    it(`the error says what is wrong with DATA_DIR: ${what}`, async () => {
      using folder = temporaryFolder();
      writeFileSync(join(folder.path, 'file'), '');
      symlinkSync('nowhere', join(folder.path, 'link'));
      const environment = { DATA_DIR: resolve(folder.path, path), PORT: '0' };
      const shopAdd = ['shop', 'add', '--name', 'A', '--slug', 'a'];
      const runs = [shopAdd, ['migrate'], ['serve']].map(async (args) => {
        // Run one case in a real process, to show that the process exits.
        const runOne = path === 'file' && args[0] === 'serve' ? runCardport : runCardportInProcess;
        return await runOne(args, { environment });
      });
      for (const refused of await Promise.all(runs)) {
        assert.equal(refused.code, 1, refused.stderr);
        assert.match(refused.stderr, /^cardport: DATA_DIR .* cannot be used: /m);
        assert.match(refused.stderr, reason);
        assert.doesNotMatch(refused.stderr, /\n\s+at /);
      }
      assert.deepEqual(readdirSync(folder.path), ['file', 'link']);
    });
  }

  it('the process creates a demo shop that is the same after a restart, with new valid tokens', async () => {
    using folder = await temporaryDataFolder();
    const environment = { DATA_DIR: folder.path, DRAIN_NOTICE_SECONDS: '0', LOG_LEVEL: 'silent' };
    const shown: string[] = [];
    for (let start = 0; start < 2; start++) {
      const settings = { ...environment, ALLOW_LOOPBACK_WEBHOOKS: String(start === 1) };
      await using served = await startServe(settings, ['serve', '--demo']);
      const calls = [
        ...served.printed().matchAll(/curl -H '(Authorization): (Bearer \w+)' '(\S+)'/g),
      ];
      assert.equal(calls.length, 7);
      for (const [, , authorization = '', url = ''] of calls) {
        const response = await fetch(url, { headers: { authorization } });
        assert.equal(response.status, 200, url);
      }
      for (const host of ['127.0.0.1', 'localhost']) {
        assert.match(served.printed(), new RegExp(` http://${host}:8090/callback\n`));
      }
      const hooks = await sendShownHooks(served.printed());
      assert.deepEqual(hooks, start === 1 ? ['http://127.0.0.1:8090/hook'] : []);
      shown.push(/Password +(\S+)/.exec(served.printed())?.[1] ?? '', calls[0]?.[2] ?? '');
      assert.equal(await served.stop('SIGTERM'), 0);
    }
    assert.equal(shown[0], shown[2]);
    assert.notEqual(shown[1], shown[3]);
    assert.equal(statSync(join(folder.path, 'demo.json')).mode & 0o777, 0o600);
  });
});

/** Returns whether a PostgreSQL server runs in this DATA_DIR. */
function isDatabaseRunning(folder: string): boolean {
  return existsSync(join(folder, 'postgresql/data/postmaster.pid'));
}

/** Sends each webhook request that `npm start` prints. Returns the registered URLs. */
async function sendShownHooks(printed: string): Promise<unknown[]> {
  const line = /curl -X PUT -H '(.+?): (.+?)' -H '(.+?): (.+?)' -d '(.+?)' '(\S+)'/g;
  const urls: unknown[] = [];
  for (const [
    ,
    name = '',
    value = '',
    other = '',
    its = '',
    body = '',
    url = '',
  ] of printed.matchAll(line)) {
    const headers = { [name]: value, [other]: its };
    const response = await fetch(url, { method: 'PUT', headers, body });
    const answer: { readonly url?: unknown } = JSON.parse(await response.text());
    urls.push(answer.url);
  }
  return urls;
}

function expectUsage(run: Run, code: number): void {
  assert.equal(run.code, code, run.stderr);
  assert.notEqual(code === 0 ? run.stdout : run.stderr, '');
  assert.equal(code === 0 ? run.stderr : run.stdout, '');
}

describe('the usage of a command', () => {
  for (const [args, code] of [
    [[], 2],
    [['--help'], 0],
    [['help'], 0],
    [['--version'], 0],
    [['shop'], 2],
    [['shop', '--help'], 0],
    [['key', '-h'], 0],
    [['key', 'nothing', '--help'], 2],
    [['serve', '--help'], 0],
    [['serve', '--json'], 2],
    [['shop', 'add', '--help'], 0],
    [['shop', 'add', '--name', 'x'], 2],
    [['shop', 'add', '--name', 'x', '--slug', 'a', '--slug', 'b'], 2],
    [['shop', 'list', 'surplus'], 2],
    [['shop', 'list', '--unknown'], 2],
    [['inventory', 'import', '--shop', 'a'], 2],
    [['serve', '--port', '1'], 2],
  ] as const) {
    it(`"cardport ${args.join(' ')}" prints the usage, and exits with ${code}`, async () => {
      expectUsage(await runCardportInProcess(args), code);
    });
  }

  it('the usage goes to standard output with --help, and to standard error if the command is invalid', async () => {
    await Promise.all([
      runCardport(['shop', 'list', 'surplus']).then((run) => expectUsage(run, 2)),
      runCardport(['shop', 'add', '--help']).then((run) => expectUsage(run, 0)),
    ]);
  });

  it('the usage lists a group’s commands, and --json only for commands that print an object', async () => {
    const [group, all, serve, list] = await Promise.all(
      [['key', '--help'], ['--help'], ['serve', '--help'], ['key', 'list', '--help']].map(
        async (args) => (await runCardportInProcess(args)).stdout,
      ),
    );
    assert.match(
      group ?? '',
      /^Usage: cardport key COMMAND[^]* key add [^]* key list [^]* key remove /,
    );
    assert.doesNotMatch(group ?? '', /shop add/);
    assert.match(all ?? '', /shop add/);
    assert.doesNotMatch(serve ?? '', /--json/);
    assert.match(list ?? '', /\[--json\][^]*--json +Print one JSON object/);
  });

  it('the command works through a symlink such as npm creates', () => {
    using folder = temporaryFolder();
    const link = join(folder.path, 'cardport');
    symlinkSync(CARDPORT_PROGRAM, link);
    const run = spawnSync(link, ['--version'], { env: cleanEnvironment(), encoding: 'utf8' });
    assert.match(run.stdout, /^\d+\.\d+\.\d+\n$/);
  });
});

describe('a schema that is newer than the program', () => {
  it('serve, migrate and commands refuse a schema that is newer than the program', async () => {
    await using base = await openTestDatabase();
    await base.db.query(insertNewerMigration);
    const environment = { ...environmentOf(base), PORT: '0' };
    for (const args of [['serve'], ['migrate'], ['shop', 'list']]) {
      // A real process shows that `serve` exits although it has opened resources.
      const runOne = args[0] === 'serve' ? runCardport : runCardportInProcess;
      const refused = await runOne(args, { environment });
      assert.equal(refused.code, 1, args.join(' '));
      assert.match(refused.stderr, /9999.*newer version/);
      assert.doesNotMatch(refused.stderr, /\n\s+at /);
    }
  });
});
