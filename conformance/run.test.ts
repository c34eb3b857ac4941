import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Context } from './context.ts';
import { allTests } from './registry.ts';
import { runTests, type TestResult } from './run.ts';
import { readTarget, type Target, type TargetShop } from './target.ts';

const SECRETS = [
  'secret-access-token',
  'secret-refresh-token',
  'secret-of-the-app',
  'secret-password',
  'secret-code',
];

/** The response to every request. It contains an app's token and other secrets. */
const ANSWER = JSON.stringify({
  access_token: 'secret-access-token',
  refresh_token: 'secret-refresh-token',
  redirectUrl: 'https://app.example/callback?code=secret-code&state=x',
  id: 'nothing',
  echo: 'secret-of-the-app secret-password',
});

function shopOf(slug: string): TargetShop {
  const app = {
    clientId: `app_${slug}`,
    clientSecret: 'secret-of-the-app',
    redirectUri: 'https://app.example/callback',
    scopes: ['inventory:read'],
  };
  const member = { email: `m@${slug}.example`, password: 'secret-password', name: 'M' };
  return {
    id: `id of ${slug}`,
    name: slug,
    slug,
    members: { owner: member, clerk: member },
    apps: { main: app, spare: app, narrow: app },
    stock: {
      siteIds: ['a'],
      locationIds: ['b'],
      unitIds: ['c'],
      inactiveSiteId: 'a',
      inactiveLocationId: 'b',
      photo: { unitId: 'c', sides: ['front'] },
      unitWithoutPhotoId: 'd',
      unitInStockId: 'c',
      unitWithSecretCostId: 'c',
      statuses: {},
    },
    boosts: {
      open: ['e'],
      openAndFilled: ['e'],
      values: [],
      opensLater: null,
      hidden: { paused: ['f'] },
    },
  };
}

function targetAt(url: string): Target {
  return {
    name: 'nonsense',
    baseUrl: `${url}/v2`,
    authUrl: `${url}/auth`,
    metadataUrl: `${url}/metadata`,
    controlUrl: `${url}/control`,
    shops: [shopOf('one'), shopOf('two')],
    catalog: {
      card: { id: 'g', name: 'G', cardNumber: '1', janCode: '2' },
      inactiveCard: null,
      commonSearch: 'x',
    },
    webhook: {
      acceptableUrl: 'https://app.example/x',
      receiverUrl: null,
      loopbackRedirectUri: null,
    },
    names: {
      cursorParameter: 'cursor',
      limitParameter: null,
      changesMember: 'changes',
      timestampHeader: 'X-T',
      signatureHeader: 'X-S',
    },
  };
}

describe('a run against a server that answers every request with 200 and invalid content', () => {
  let server: Server;
  let target: Target;
  let results: readonly TestResult[];
  before(async () => {
    server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(ANSWER);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    target = targetAt(`http://127.0.0.1:${address.port}`);
    results = await runTests(target);
  });
  after(() => server.close());

  it('a run with only invalid responses completes without a passing test', () => {
    assert.equal(results.length, allTests.length);
    const green = results.filter(({ outcome }) => outcome.kind === 'pass').map(({ id }) => id);
    assert.deepEqual(green, []);
  });

  it('a failure reports the clause, the expectation and the actual value, and never a secret', () => {
    const told = results.map(({ outcome }) => JSON.stringify(outcome)).join('\n');
    for (const secret of SECRETS) assert.ok(!told.includes(secret), secret);
    const result = results.find(({ id }) => id === '9-in-base');
    assert.ok(result?.outcome.kind === 'fail');
    assert.equal(
      result.outcome.message,
      '9 {base_url} ends with the version segment v1: expected a path that ends with /v1, but got "/v2"',
    );
  });

  it('a run with failures exits with 1, and writes the result with the total of each outcome', () => {
    const folder = mkdtempSync(join(tmpdir(), 'conformance-run-'));
    try {
      const [file, json] = [join(folder, 'target.json'), join(folder, 'result.json')];
      writeFileSync(file, JSON.stringify(target));
      // `runMain` blocks this process, so its server cannot respond. This conformance test makes no
      // request.
      const args = ['--target', file, '--only', '9-in-base', '--json', json];
      const run = runMain(args);
      assert.equal(run.status, 1, run.stderr);
      assert.match(run.stdout, /^FAIL {5}9-in-base: /);
      const { totals } = JSON.parse(readFileSync(json, 'utf8'));
      assert.deepEqual([totals.pass, totals.fail, totals.not_run], [0, 1, 0]);
      writeFileSync(
        file,
        JSON.stringify({ ...target, baseUrl: `${target.baseUrl.slice(0, -1)}1` }),
      );
      assert.equal(runMain(['--target', file, '--only', '9-in-base']).status, 0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the command', () => {
  it('the command exits with 2 and a reason when its arguments are invalid', () => {
    for (const [args, why] of [
      [[], /--target is required/],
      [['--only', '10.1'], /no test or clause is called 10.1/],
      [['--target', '/nowhere/target.json'], /cannot be read/],
      [['--loud'], /--loud/],
      [['--basis', 'hope'], /--basis must be specification or decision/],
    ] as const) {
      const { status, stderr } = runMain(args);
      assert.equal(status, 2);
      assert.match(stderr, why);
    }
  });
});

describe('the command with another version of Node', () => {
  const other = '/usr/bin/node';
  const version = existsSync(other) ? execFileSync(other, ['--version'], { encoding: 'utf8' }) : '';
  const isOld = /^v(1\d|2[0-3])\./.test(version);

  it('the command says in one sentence what to do if Node is too old', { skip: !isOld }, () => {
    const folder = new URL('.', import.meta.url).pathname;
    const { status, stdout, stderr } = spawnSync(other, [folder, '--list'], { encoding: 'utf8' });
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, /^conformance: this is Node [\d.]+, and [^\n]+ Node 24 [^\n]+\n$/);
  });
});

describe('the description of a target', () => {
  it('a complete description of a target is accepted', () => {
    assert.equal(readTarget(targetAt('http://127.0.0.1:1')).kind, 'target');
  });

  it('all errors in the description of a target are reported together, each with its place', () => {
    const { shops, ...others } = targetAt('http://127.0.0.1:1');
    const [first] = shops;
    const apps = { ...first.apps, main: { ...first.apps.main, scopes: 'inventory:read' } };
    const reading = readTarget({
      ...others,
      baseUrl: 'cards',
      shops: [{ ...first, apps }],
      names: null,
    });
    assert.deepEqual(reading, {
      kind: 'faults',
      faults: [
        'baseUrl must be an absolute URL',
        'shops must be two shops',
        'shops[0].apps.main.scopes must be an array of strings',
        'names.cursorParameter must be a string',
        'names.changesMember must be a string',
        'names.timestampHeader must be a string',
        'names.signatureHeader must be a string',
        'names.limitParameter is required (null when the target has none)',
      ],
    });
  });

  it('a target may omit `stock.values`, but each given value must have an id', () => {
    const whole = targetAt('http://127.0.0.1:1');
    const [first, second] = whole.shops;
    const readWith = (values: unknown): ReturnType<typeof readTarget> =>
      readTarget({ ...whole, shops: [{ ...first, stock: { ...first.stock, values } }, second] });
    assert.equal(readWith(null).kind, 'target');
    assert.equal(readWith([{ id: 'a', code: 'A' }]).kind, 'target');
    assert.deepEqual(readWith([{ code: 'A' }]), {
      kind: 'faults',
      faults: ['shops[0].stock.values[0].id must be a string'],
    });
    assert.deepEqual(readWith('a'), {
      kind: 'faults',
      faults: ['shops[0].stock.values must be an array'],
    });
  });

  it('a member that the target lacks must be null', () => {
    const whole = targetAt('http://127.0.0.1:1');
    const reading = readTarget({ ...whole, webhook: { acceptableUrl: 'https://app.example/x' } });
    assert.ok(reading.kind === 'faults');
    assert.equal(
      reading.faults[0],
      'webhook.receiverUrl is required (null when the target has none)',
    );
  });
});

describe('the context', () => {
  const aheadSeconds = 86_400;
  /**
   * Returns the clock difference that the suite finds. The target reports its clock by its control,
   * by `Date`, or not at all.
   */
  async function secondsAhead(told: 'now' | 'date' | 'nothing'): Promise<number> {
    const server = createServer((request, response) => {
      request.resume();
      const now = new Date(Date.now() + aheadSeconds * 1_000);
      response.sendDate = false;
      if (told === 'date') response.setHeader('Date', now.toUTCString());
      response.end(JSON.stringify(told === 'now' ? { now } : {}));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    try {
      const address = server.address();
      assert.ok(typeof address === 'object' && address !== null);
      const context = new Context(targetAt(`http://127.0.0.1:${address.port}`));
      return ((await context.nowMs()) - Date.now()) / 1_000;
    } finally {
      server.close();
    }
  }

  it('the context measures how far the target’s clock is ahead', async () => {
    for (const [told, seconds] of [
      ['now', aheadSeconds],
      ['date', aheadSeconds],
      ['nothing', 0],
    ] as const) {
      assert.ok(Math.abs((await secondsAhead(told)) - seconds) < 60, told);
    }
  });

  it('the context redacts passwords, signing secrets and credentials in a text', () => {
    const context = new Context(targetAt('http://127.0.0.1:1'));
    const text =
      'secret-password; Bearer abcdefghijklmnopqrst; {"secret":"whsec_abc+/="}; secret-of-the-app';
    assert.equal(
      context.redact(text),
      '[secret]; Bearer [secret]; {"secret":"[secret]"}; [secret]',
    );
  });
});

function runMain(
  args: readonly string[],
): ReturnType<typeof spawnSync> & { stdout: string; stderr: string } {
  const main = new URL('.', import.meta.url).pathname;
  return spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
}
