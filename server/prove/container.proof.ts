// Proves that the image of the Dockerfile runs in podman as the image's user, without capabilities,
// with a read-only root. It runs with --full only, because the build takes minutes.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { findFreePort } from '../src/base/free-port.ts';
import { openTestDatabase } from '../test/test-database.ts';
import { TEST_SECRET_KEY } from '../test/service.ts';
import { waitUntil } from '../test/wait-until.ts';
import { findMissingRequirement, IMAGE, Podman } from './container-image.ts';

const IMAGE_MB_MAX = 350;
const USER = 10_001;
const READY_WITHIN_MS = 300_000;
const missing =
  process.env['PROVE_FULL'] === '1' ? findMissingRequirement() : 'it runs only with --full';

interface Container extends AsyncDisposable {
  readonly url: string;
  readonly output: () => string;
  /** Runs a command in the container and returns its output. */
  readonly run: (...command: readonly string[]) => Promise<string>;
  /** Runs the image's health check. */
  readonly isHealthy: () => Promise<boolean>;
  readonly signal: (name: string) => Promise<void>;
  /** Resolves to the exit code when the container has ended. */
  readonly ended: Promise<number | null>;
}

describe('the image', { skip: missing ?? false, timeout: 5_000_000 }, () => {
  let podman: Podman;
  let started = 0;

  before(async () => {
    podman = new Podman();
    await podman.buildBase();
    await podman.buildImage('--build-arg', 'VERSION=1.2.3', '--build-arg', 'REVISION=abc');
  });
  after(() => podman[Symbol.dispose]());

  /** Creates a folder that the user of the image owns, like a Docker volume. */
  function newVolume(name: string): string {
    const path = join(podman.folder, name);
    mkdirSync(path, { mode: 0o700 });
    chownSync(path, USER, USER);
    return path;
  }

  /** Starts a container with a read-only root, and waits until it is ready. */
  async function start(options: readonly string[]): Promise<Container> {
    const name = `cardport-${process.pid}-${started++}`;
    const port = await findFreePort();
    const env = [`PORT=${port}`, 'HOST=127.0.0.1', 'DRAIN_NOTICE_SECONDS=5'];
    const restrictions =
      '--read-only --network host --cap-drop all --security-opt no-new-privileges --cgroups disabled';
    // Podman's timer for health checks needs systemd, so the test runs the check itself.
    const health = '--health-interval disable';
    // This machine might not allow podman to raise limits to its defaults.
    const limits = '--ulimit nofile=1024:1024 --ulimit nproc=1024:1024';
    const child = podman.start([
      'run',
      '--rm',
      '--name',
      name,
      ...`${restrictions} ${health} ${limits}`.split(' '),
      ...env.flatMap((pair) => ['--env', pair]),
      ...options,
      IMAGE,
    ]);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (part: Buffer) => {
        output += part.toString();
      });
    }
    let code: number | null | undefined;
    const ended = once(child, 'exit').then(([first]) => {
      code = typeof first === 'number' ? first : null;
      return code;
    });
    const isHealthy = async (): Promise<boolean> =>
      await podman.run('healthcheck', 'run', name).then(
        () => true,
        () => false,
      );
    await waitUntil(() => code !== undefined || output.includes('ready at'), READY_WITHIN_MS);
    assert.equal(code, undefined, output);
    return {
      url: `http://127.0.0.1:${port}`,
      output: () => output,
      run: async (...command) => await podman.run('exec', name, ...command),
      isHealthy,
      signal: async (signal) => {
        await podman.run('kill', '--signal', signal, name);
      },
      ended,
      [Symbol.asyncDispose]: async () => {
        if (code === undefined) await podman.run('kill', '--signal', 'KILL', name).catch(() => '');
        await ended;
      },
    };
  }

  it('the image adds at most 350 MB to its base, and has the documented configuration and labels', async (t) => {
    const bytes = await podman.addedBytes();
    t.diagnostic(`${Math.round(bytes / 1e6)} MB`);
    assert.ok(bytes > 0 && bytes <= IMAGE_MB_MAX * 1e6, String(bytes));
    const text = await podman.run('image', 'inspect', IMAGE);
    const [image] = JSON.parse(text) as readonly {
      readonly Config: Readonly<Record<string, unknown>>;
    }[];
    assert.ok(image);
    const config = image.Config;
    assert.equal(config['User'], `${USER}:${USER}`);
    assert.equal(config['StopSignal'], 'SIGTERM');
    assert.deepEqual(config['Volumes'], { '/data': {} });
    assert.deepEqual(config['ExposedPorts'], { '8080/tcp': {} });
    const env = config['Env'] as readonly string[];
    for (const pair of ['HOST=0.0.0.0', 'PORT=8080', 'DATA_DIR=/data']) {
      assert.ok(env.includes(pair), pair);
    }
    const labels = Object(config['Labels']) as Readonly<Record<string, string>>;
    assert.equal(labels['org.opencontainers.image.version'], '1.2.3');
    assert.equal(labels['org.opencontainers.image.revision'], 'abc');
    assert.equal(labels['org.opencontainers.image.licenses'], 'Apache-2.0');
  });

  it('the image serves with the packaged PostgreSQL, drains on SIGTERM, and keeps its data after a kill', async () => {
    const volume = ['--volume', `${newVolume('data')}:/data`];
    {
      await using container = await start(volume);
      assert.ok(await container.isHealthy());
      for (const path of ['/readyz', '/docs', '/signin']) {
        assert.equal((await fetch(container.url + path)).status, 200, path);
      }
      await container.run('cardport', 'shop', 'add', '--name', 'Kumo Cards', '--slug', 'kumo');

      const status = await container.run('cat', '/proc/1/status');
      assert.match(status, new RegExp(`^Uid:\\t${USER}\\t${USER}\\t`, 'm'));
      assert.match(status, /^CapEff:\t0+$/m);
      assert.match(status, /^NoNewPrivs:\t1$/m);
      const environment = await container.run('cat', '/proc/1/environ');
      assert.ok(environment.split('\0').includes('MALLOC_ARENA_MAX=2'));
      await assert.rejects(container.run('touch', '/opt/cardport/file'), /Read-only file system/);
      const cache = '/opt/cardport/node_modules/.cache/cardport';
      const files = await container.run('find', cache, '-type', 'f', '!', '-user', 'root');
      assert.equal(files, '');
      assert.notEqual(await container.run('find', cache, '-type', 'f'), '');

      // The service gets no time to stop, so PostgreSQL's files remain as after a crash.
      await container.signal('KILL');
      await container.ended;
    }
    await using container = await start(volume);
    assert.match(await container.run('cardport', 'shop', 'list'), /kumo/);
    await container.signal('TERM');
    await waitUntil(async () => (await fetch(`${container.url}/readyz`)).status === 503);
    assert.equal(await container.isHealthy(), false);
    assert.equal(await container.ended, 0, container.output());
    assert.match(container.output(), /cardport: stopped\n/);
  });

  it('the image serves with an external PostgreSQL, with its URL and the secret key in files', async () => {
    await using base = await openTestDatabase();
    const secrets = newVolume('secrets');
    writeFileSync(join(secrets, 'url'), `${base.url}\n`);
    writeFileSync(join(secrets, 'key'), `${TEST_SECRET_KEY}\n`);
    const data = newVolume('photos-and-mail');
    await using container = await start([
      `--volume=${secrets}:/run/secrets:ro`,
      `--volume=${data}:/data`,
      '--env=DATABASE_URL_FILE=/run/secrets/url',
      '--env=SECRET_KEY_FILE=/run/secrets/key',
    ]);
    assert.ok(await container.isHealthy());
    await container.run('cardport', 'shop', 'add', '--name', 'Kumo Cards', '--slug', 'kumo');
    const client = new pg.Client({ connectionString: base.url });
    await client.connect();
    const { rows } = await client.query<{ slug: string }>('select slug from shop');
    await client.end();
    assert.deepEqual(rows, [{ slug: 'kumo' }]);
    assert.equal(existsSync(join(data, 'postgresql')), false);
    await container.signal('TERM');
    assert.equal(await container.ended, 0, container.output());
  });
});
