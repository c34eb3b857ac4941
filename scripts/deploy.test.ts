// Tests that the files of deploy/ match the service: its metrics, settings, paths and limits. Where
// systemd, nginx, Caddy or Prometheus are installed, their own checks run too.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  cpSync,
  globSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { findFreePort } from '../server/src/base/free-port.ts';
import { readConfig } from '../server/src/config/config.ts';
import { BATCH_BYTES_MAX } from '../server/src/http/spool.ts';
import { IMAGE_BYTES_MAX } from '../server/src/images/re-encode.ts';
import { cleanEnvironment, temporaryFolder } from '../server/test/cardport.ts';
import { makeAuthority } from '../server/test/certificate.ts';
import { readLinkedFiles } from '../server/test/docs-links.ts';
import { startTestService, TEST_SECRET_KEY } from '../server/test/service.ts';
import { openTestDatabase } from '../server/test/test-database.ts';

const DEPLOY = fileURLToPath(new URL('../deploy/', import.meta.url));
const ROOT = join(DEPLOY, '../');
const PROGRAM = new URL('../server/bin/cardport', import.meta.url).pathname;
const INSTALLED = '/opt/cardport/';
const CHECK_TIMEOUT_MS = 240_000;
const DAY_SECONDS = 86_400;
/** Labels that Prometheus itself adds. */
const SCRAPED_LABELS = ['instance', 'job', 'le'];

const UNITS = globSync('systemd/*.{service,timer}', { cwd: DEPLOY }).toSorted();
const SERVICES = UNITS.filter((name) => name.endsWith('.service'));

function read(path: string): string {
  return readFileSync(join(DEPLOY, path), 'utf8');
}

/** Returns the values of a setting in a unit, in order. */
function valuesOf(unit: string, name: string): readonly string[] {
  return [...read(unit).matchAll(/^(\w+)=(.*)$/gm)]
    .filter(([, key]) => key === name)
    .map(([, , value = '']) => value);
}

/** Returns the variables that a unit sets itself, with 1 as the number of the instance. */
function environmentOf(unit: string): Readonly<Record<string, string>> {
  const pairs = valuesOf(unit, 'Environment').flatMap((value) => value.split(' '));
  return toVariables(pairs.map((pair) => pair.replaceAll('%i', '1')));
}

/** Reads environment.example, including the variables that are commented out. */
function exampleEnvironment(): Readonly<Record<string, string>> {
  return toVariables(read('environment.example').match(/^#?[A-Z_]+=.*$/gm) ?? []);
}

function toVariables(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name = '', value = ''] = /^#?(\w+)=(.*)$/.exec(pair) ?? [];
      return [name, value];
    }),
  );
}

/** Finds the metrics in an expression, and the labels that it selects or groups by. */
function metricsIn(text: string): { readonly names: Set<string>; readonly labels: Set<string> } {
  const plain = text.replaceAll(/^\s*#.*$/gm, '');
  const names = plain.matchAll(/\b(?:cardport|process|nodejs)_\w+/g);
  const selected = plain.matchAll(/[{,]\s*(\w+)\s*(?:=~|!~|!=|=)\s*"/g);
  const grouped = [...plain.matchAll(/\bby \(([^)]+)\)/g)].flatMap(([, list = '']) =>
    list.split(/,\s*/).map((label) => ['', label]),
  );
  return {
    names: new Set([...names].map(([name]) => name)),
    labels: new Set([...selected, ...grouped].map(([, label = '']) => label)),
  };
}

/** Returns the expressions of the alerts and of the dashboard. */
function expressions(): readonly string[] {
  const rules = [...read('prometheus/cardport.rules.yml').matchAll(/^ +expr: (.+)$/gm)];
  const panels = [...read('grafana/cardport.json').matchAll(/"expr": (".*"),?$/gm)];
  return [
    ...rules.map(([, text = '']) => text),
    ...panels.map(([, text = '']) => String(JSON.parse(text))),
  ];
}

/** Returns why a test is skipped, or false if the program is installed. */
function unlessInstalled(program: string): string | false {
  const { error } = spawnSync(program, ['--help'], { timeout: CHECK_TIMEOUT_MS });
  return error === undefined ? false : `${program} is not installed`;
}

/** Runs another program, and fails with its output if it reports an error. */
function check(program: string, args: readonly string[], cwd: string): void {
  const options = { cwd, encoding: 'utf8', timeout: CHECK_TIMEOUT_MS } as const;
  const { status, stdout, stderr } = spawnSync(program, args, {
    ...options,
    env: { ...cleanEnvironment(), HOME: cwd },
  });
  assert.equal(status, 0, `${stdout}${stderr}`);
}

describe('the alerts and the dashboard', () => {
  it('the alerts and the dashboard name only metrics and labels that the service has', async () => {
    await using base = await openTestDatabase();
    const environment = { METRICS_PORT: '0' };
    await using service = await startTestService(base, { environment, delivers: true });
    await fetch(`${service.url}/livez`);
    const text = await (await fetch(service.metricsUrl ?? '')).text();
    const samples = [...text.matchAll(/^(\w+)(?:\{(.*)\})? /gm)];
    const names = new Set(samples.map(([, name = '']) => name));
    const labels = new Set(
      samples.flatMap(([, , list = '']) => [...list.matchAll(/(\w+)="/g)].map(([, name]) => name)),
    );
    const used = expressions();
    assert.ok(used.length > 40, String(used.length));
    for (const expression of used) {
      const found = metricsIn(expression);
      for (const name of found.names) assert.ok(names.has(name), `${name} in ${expression}`);
      for (const label of found.labels) {
        assert.ok(labels.has(label) || SCRAPED_LABELS.includes(label), `${label} in ${expression}`);
      }
    }
  });

  it('the dashboard shows every metric of docs/operating.md', () => {
    const page = readFileSync(join(ROOT, 'docs/operating.md'), 'utf8');
    const told = [...page.matchAll(/^\| `(cardport_\w+)/gm)].map(([, name = '']) => name);
    const dashboard = read('grafana/cardport.json');
    assert.ok(told.length > 30);
    assert.deepEqual(
      told.filter((name) => !dashboard.includes(name)),
      [],
    );
  });

  it('each alert has a severity, a text, an existing runbook, and tests for firing and not firing', () => {
    const anchors = readLinkedFiles(ROOT).find(({ path }) => path === 'docs/operating.md')?.anchors;
    const [, ...alerts] = read('prometheus/cardport.rules.yml').split('      - alert: ');
    const tests = read('prometheus/cardport.rules.test.yml');
    assert.ok(alerts.length > 10);
    for (const alert of alerts) {
      const name = /^\w+/.exec(alert)?.[0] ?? '';
      assert.match(alert, /^ +severity: (?:critical|warning)$/m, name);
      assert.match(alert, /^ +summary: '.+'$/m, name);
      assert.match(alert, /^ +description: (?:'.+'|".+")$/m, name);
      const [, anchor = ''] = /runbook_url: \S+\/docs\/operating\.md#(\S+)$/m.exec(alert) ?? [];
      assert.ok(anchors?.has(anchor), `${name}: ${anchor}`);
      for (const kind of ['fires', 'is quiet']) {
        assert.ok(tests.includes(`  # ${name} ${kind}\n`), `${name} ${kind}`);
      }
    }
  });

  it(
    'promtool accepts the alerts, and their tests pass',
    { skip: unlessInstalled('promtool') },
    () => {
      const folder = join(DEPLOY, 'prometheus');
      check('promtool', ['check', 'config', 'prometheus.yml'], folder);
      check('promtool', ['test', 'rules', 'cardport.rules.test.yml'], folder);
    },
  );
});

describe('the systemd units', () => {
  it('the systemd units set only variables of docs/configuration.md, with values that the service accepts', () => {
    const page = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');
    const cells = [...page.matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \|/gm)].map(
      ([, cell = '']) => cell,
    );
    const documented = new Set(cells.flatMap((cell) => cell.replaceAll('`', '').split(', ')));
    // A variable of Node, which `server/bin/cardport` reads.
    documented.add('NODE_COMPILE_CACHE');
    const example = exampleEnvironment();
    for (const unit of SERVICES) {
      const variables = { ...example, ...environmentOf(unit) };
      for (const name of Object.keys(variables)) assert.ok(documented.has(name), name);
      const result = readConfig({ ...variables, SECRET_KEY: TEST_SECRET_KEY });
      assert.equal(result.kind, 'config', JSON.stringify(result));
    }
    assert.equal(readConfig(example).kind, 'invalid', 'SECRET_KEY must be filled in');
  });

  it('the systemd units run programs of this repository, with existing commands', () => {
    for (const unit of SERVICES) {
      const [command = ''] = valuesOf(unit, 'ExecStart');
      assert.ok(command.startsWith(INSTALLED), command);
      const [file = '', verb = ''] = command.slice(INSTALLED.length).split(' ');
      accessSync(join(ROOT, file), constants.X_OK);
      if (file !== 'server/bin/cardport') continue;
      const options = { encoding: 'utf8', timeout: CHECK_TIMEOUT_MS } as const;
      const help = execFileSync(PROGRAM, [verb, '--help'], options);
      assert.match(help, new RegExp(`cardport ${verb}\\b`));
    }
  });

  it('the systemd units restart without a limit, and share one set of restrictions', () => {
    const sets = SERVICES.map((unit) => {
      assert.deepEqual(valuesOf(unit, 'Restart'), ['on-failure'], unit);
      return /^NoNewPrivileges=yes\n[^]*?^UMask=0077$/m.exec(read(unit))?.[0];
    });
    assert.equal(new Set(sets).size, 1);
    for (const unit of ['systemd/cardport@.service', 'systemd/cardport-deliver.service']) {
      assert.deepEqual(valuesOf(unit, 'StartLimitIntervalSec'), ['0']);
    }
  });

  it('systemd-analyze accepts the units', { skip: unlessInstalled('systemd-analyze') }, () => {
    using folder = temporaryFolder();
    const files = UNITS.map((unit) => {
      const file = join(folder.path, basename(unit).replace('@', '@1'));
      writeFileSync(file, read(unit).replaceAll(INSTALLED, ROOT));
      return file;
    });
    check('systemd-analyze', ['verify', '--man=no', ...files], folder.path);
  });
});

describe('the proxies', () => {
  const nginx = read('nginx/cardport.conf');
  const caddy = read('caddy/Caddyfile');

  it('the proxies forward to the instances, and only name existing paths', async () => {
    const port = environmentOf('systemd/cardport@.service')['PORT'];
    assert.equal(port, '8081');
    const instances = ['127.0.0.1:8081', '127.0.0.1:8082'];
    for (const text of [nginx, caddy]) {
      const found = [...text.matchAll(/127\.0\.0\.1:\d+/g)].map(([address]) => address);
      assert.deepEqual(found, instances);
    }
    await using base = await openTestDatabase();
    await using service = await startTestService(base);
    const own = [service.partnerUrl, service.shopUrl].map((url) => `${new URL(url).pathname}/`);
    const paths = [...nginx.matchAll(/^ +location (\S+)/gm)].map(([, path = '']) => path);
    assert.deepEqual(paths.toSorted(), ['/', ...own].toSorted());
  });

  it('the proxies accept the largest bodies that the service accepts, and little more', () => {
    const largest = Math.max(IMAGE_BYTES_MAX, BATCH_BYTES_MAX);
    const ofNginx = Number(/client_max_body_size (\d+)m;/.exec(nginx)?.[1]) * 1024 * 1024;
    const ofCaddy = Number(/max_size (\d+)MB/.exec(caddy)?.[1]) * 1e6;
    for (const limit of [ofNginx, ofCaddy]) {
      assert.ok(limit > largest && limit < largest * 1.2, String(limit));
    }
  });

  it('nginx accepts its configuration', { skip: unlessInstalled('nginx') }, async () => {
    using folder = temporaryFolder();
    const { cert, key } = makeAuthority().issue(['cards.example']);
    writeFileSync(join(folder.path, 'fullchain.pem'), cert);
    writeFileSync(join(folder.path, 'privkey.pem'), key);
    // `nginx -t` opens the ports of the configuration, so they must be free.
    const port = await findFreePort();
    const site = nginx
      .replaceAll('/etc/letsencrypt/live/cards.example', folder.path)
      .replaceAll(/^ +listen \[::\].*\n/gm, '')
      .replaceAll(/listen \d+/g, `listen 127.0.0.1:${port}`)
      .replace(/listen \S+;/, `listen 127.0.0.1:${await findFreePort()};`);
    writeFileSync(join(folder.path, 'site.conf'), site);
    const file = join(folder.path, 'nginx.conf');
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${folder.path}/${name};`)
      .join(' ');
    const main = `pid ${folder.path}/pid; error_log stderr; events {} http { access_log off; ${paths} include site.conf; }`;
    writeFileSync(file, main);
    check('nginx', ['-t', '-q', '-p', folder.path, '-c', file], folder.path);
  });

  it('Caddy accepts its configuration', { skip: unlessInstalled('caddy') }, () => {
    using folder = temporaryFolder();
    const file = join(DEPLOY, 'caddy/Caddyfile');
    check('caddy', ['validate', '--adapter', 'caddyfile', '--config', file], folder.path);
  });
});

describe('backup.sh', () => {
  const script = join(DEPLOY, 'backup.sh');
  const run = (folder: string, environment: Readonly<Record<string, string>>): number | null =>
    spawnSync(script, [folder], {
      env: cleanEnvironment({ SECRET_KEY: TEST_SECRET_KEY, ...environment }),
      timeout: CHECK_TIMEOUT_MS,
    }).status;
  const age = (file: string, days: number): void => {
    const seconds = Date.now() / 1_000 - days * DAY_SECONDS;
    utimesSync(file, seconds, seconds);
  };

  it('backup.sh writes the database and the photos, then removes only old backups', async () => {
    await using base = await openTestDatabase();
    using data = temporaryFolder();
    using target = temporaryFolder();
    cpSync(script, join(data.path, 'photos/ab/photo'), { recursive: true });
    const days = { 'cardport-old.backup': 16, 'cardport-young.backup': 13, 'other.backup': 99 };
    for (const [name, old] of Object.entries(days)) {
      writeFileSync(join(target.path, name), '');
      age(join(target.path, name), old);
    }
    assert.equal(run(target.path, { DATABASE_URL: base.url, DATA_DIR: data.path }), 0);
    const names = readdirSync(target.path).toSorted();
    const made = names.find((name) => /^cardport-\d{4}-\d\d-\d\dT\d{6}Z\.backup$/.test(name)) ?? '';
    const expected = [made, 'cardport-young.backup', 'other.backup', 'photos'];
    assert.deepEqual(names, expected.toSorted());
    assert.equal(statSync(join(target.path, made)).mode & 0o777, 0o600);
    assert.ok(gunzipSync(readFileSync(join(target.path, made))).length > 0);
    const copied = readFileSync(join(target.path, 'photos/ab/photo'));
    assert.deepEqual(copied, readFileSync(script));
  });

  it('backup.sh fails without a database, leaves no file and removes no backup', async () => {
    using target = temporaryFolder();
    const old = join(target.path, 'cardport-old.backup');
    writeFileSync(old, '');
    age(old, 99);
    const port = await findFreePort();
    const DATABASE_URL = `postgres://x:x@127.0.0.1:${port}/x`;
    assert.equal(run(target.path, { DATABASE_URL }), 1);
    assert.deepEqual(readdirSync(target.path), ['cardport-old.backup']);
  });
});
