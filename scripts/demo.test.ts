import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../examples/partner-app/test/board-process.ts';
import { cleanEnvironment, temporaryFolder } from '../server/test/cardport.ts';
import { waitUntil } from '../server/test/wait-until.ts';

const DEMO = fileURLToPath(new URL('demo.ts', import.meta.url));

interface Demo {
  readonly pid: number;
  readonly ended: Promise<number | null>;
  printed(): string;
  /** Stops the demo and its processes if it is still running. */
  stop(): Promise<void>;
}

function demo(args: readonly string[]): Demo {
  // The demo must ignore a DATABASE_URL that the user has set.
  const env = cleanEnvironment({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
  const child = spawn(process.execPath, [DEMO, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')));
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => resolve(code));
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  return { pid: child.pid ?? 0, ended, printed: () => printed, stop };
}

async function answers(url: string): Promise<boolean> {
  return await fetch(url).then(
    (answer) => answer.ok,
    () => false,
  );
}

/** Returns the id of the child process whose command line contains `named`. */
function childOf(pid: number, named: string): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  const found = children.find((child) =>
    readFileSync(`/proc/${child}/cmdline`, 'utf8').includes(named),
  );
  return Number(found);
}

describe('npm run demo', { concurrency: false }, () => {
  const folder = temporaryFolder();
  let options: readonly string[];
  let urls: readonly [cardport: string, app: string];
  let running: Demo;

  before(async () => {
    const [port, appPort] = [await freePort(), await freePort()];
    options = ['--port', String(port), '--app-port', String(appPort), '--data', folder.path];
    urls = [`http://127.0.0.1:${port}/livez`, `http://127.0.0.1:${appPort}/`];
    running = demo(options);
  });
  after(async () => {
    await running.stop();
    folder[Symbol.dispose]();
  });

  async function isReady(): Promise<void> {
    const ended = running.ended.then(() => assert.fail(running.printed()));
    await Promise.race([ended, waitUntil(() => running.printed().includes('Ctrl-C'), 60_000)]);
  }

  it('the demo starts Cardport and the app, and says which address to open and how to sign in', async () => {
    await isReady();
    assert.ok((await Promise.all(urls.map(answers))).every(Boolean));
    const { email, password } = JSON.parse(
      readFileSync(join(folder.path, 'demo.json'), 'utf8'),
    ) as Record<string, string>;
    for (const said of [`Open  ${urls[1].slice(0, -1)}`, email, password, 'npm run demo -- sell']) {
      assert.ok(running.printed().includes(said ?? '?'), running.printed());
    }
  });

  it('the app is registered with its port', async () => {
    const begun = await fetch(`${urls[1]}connect`, { redirect: 'manual' });
    const asked = await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' });
    assert.match(asked.headers.get('location') ?? '', /^\/auth\/interaction\//);
  });

  it('the commands sell and buy change the stock of the demo', async () => {
    const orders = [
      ['sell', /^Sold: .*¥[\d,]+/m],
      ['buy', /^Bought: .*¥[\d,]+/m],
    ] as const;
    const runs = orders.map(async ([command, said]) => {
      const run = demo([command, '--data', folder.path]);
      assert.equal(await run.ended, 0, run.printed());
      assert.match(run.printed(), said);
    });
    await Promise.all(runs);
  });

  it('the demo says that a port is taken, and how to choose another', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => {
      taken.listen(0, '127.0.0.1', resolve);
    });
    const address = taken.address();
    const port = String(typeof address === 'object' && address !== null ? address.port : 0);
    const second = demo([...options.slice(2), '--port', port]);
    assert.equal(await second.ended, 1);
    assert.match(second.printed(), new RegExp(`Port ${port} is in use.*--port`));
    taken.close();
  });

  it('the demo does not change the data of other programs', async () => {
    using other = temporaryFolder();
    mkdirSync(join(other.path, 'postgresql'));
    const [port, appPort] = [await freePort(), await freePort()];
    const refused = demo(['--port', `${port}`, '--app-port', `${appPort}`, '--data', other.path]);
    assert.equal(await refused.ended, 1);
    assert.match(refused.printed(), /choose another folder with --data/);
    assert.deepEqual(readdirSync(other.path), ['postgresql']);
  });

  it('the demo ends Cardport and the app on Ctrl-C', async () => {
    process.kill(running.pid, 'SIGINT');
    assert.equal(await running.ended, 0);
    assert.deepEqual(await Promise.all(urls.map(answers)), [false, false]);
  });

  it('the demo starts again with its data, and ends with a clear message if the app dies', async () => {
    running = demo(options);
    await isReady();
    assert.doesNotMatch(running.printed(), /writing \d+ units/);
    process.kill(childOf(running.pid, 'partner-app'), 'SIGKILL');
    assert.equal(await running.ended, 1);
    assert.match(running.printed(), /The example app has ended \(SIGKILL\), so the demo ends too/);
    assert.deepEqual(await Promise.all(urls.map(answers)), [false, false]);
  });
});
