import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { runCardport, type Run, startServe, temporaryFolder } from '../../test/cardport.ts';
import { runCardportInProcess, environmentOf } from '../../test/cardport-in-process.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { newId } from '../base/secrets.ts';

function expectCode(run: Run, code: number): void {
  assert.equal(run.code, code, `${run.stdout}${run.stderr}`);
}

function json(run: Run): Record<string, unknown> {
  assert.equal(run.code, 0, run.stderr);
  const parsed: unknown = JSON.parse(run.stdout);
  assert.ok(typeof parsed === 'object' && parsed !== null);
  return { ...parsed };
}

describe('the command line (decision 0021)', () => {
  it('the commands set up a shop with a member, an app, a key, stock and tokens, and serve it', async () => {
    await using base = await openTestDatabase();
    const environment = environmentOf(base);
    await using served = await startServe({ ...environment, LOG_LEVEL: 'info' });
    const settings = { ...environment, PUBLIC_URL: served.url };
    const run = async (args: readonly string[], stdin = ''): Promise<Run> =>
      await runCardportInProcess(args, { environment: settings, stdin });
    const shop = json(await run(['shop', 'add', '--name', '雲カード', '--slug', 'kumo', '--json']));
    assert.deepEqual(Object.keys(shop), ['id', 'name', 'slug']);
    const shops: unknown = json(await run(['shop', 'list', '--json']))['shops'];
    assert.ok(Array.isArray(shops) && shops.length === 1);
    const password = 'correct horse battery';
    const person = ['--shop', 'kumo', '--email', 'hana@kumo.example', '--name', 'Hana'];
    const member = json(
      await run(['member', 'add', ...person, '--password-stdin', '--json'], `${password}\n`),
    );
    assert.deepEqual(Object.keys(member), ['id', 'email', 'name', 'isNew']);
    const scope = 'inventory:read offline_access';
    const uri = ['--redirect-uri', 'https://app.example/cb'];
    const app = json(
      await run([
        'app',
        'add',
        '--shop',
        'kumo',
        '--name',
        'App',
        ...uri,
        '--scope',
        scope,
        '--json',
      ]),
    );
    const { clientId, clientSecret } = app;
    assert.ok(typeof clientId === 'string' && typeof clientSecret === 'string');
    const key = json(await run(['key', 'add', '--shop', 'kumo', '--json']));
    assert.match(String(key['key']), /^csk_/);

    const siteId = newId();
    const lines = [
      JSON.stringify({ kind: 'site', id: siteId, data: siteData }),
      '{"kind":"site","id":"no uuid","data":{}}',
      'no json',
    ].join('\n');
    const order = ['inventory', 'import', '--shop', 'kumo', '--json', '-'];
    // A real process, because the test is about standard input and the exit code.
    const imported = await runCardport(order, { environment: settings, stdin: lines });
    assert.equal(imported.code, 3);
    const report: unknown = JSON.parse(imported.stdout);
    assert.deepEqual(rejectedLinesOf(report), [2, 3]);

    const whose = ['--shop', 'kumo', '--app', clientId, '--member', 'hana@kumo.example'];
    const tokens = json(await run(['token', ...whose, '--scope', scope, '--json']));
    assert.deepEqual(Object.keys(tokens).toSorted(), [
      'accessToken',
      'connectionId',
      'expiresIn',
      'refreshToken',
    ]);
    const headers = { authorization: `Bearer ${String(tokens['accessToken'])}` };
    const sites = await fetch(`${served.url}/partner/v1/inventory/sites`, { headers });
    assert.equal(sites.status, 200);
    assert.match(await sites.text(), new RegExp(siteId));

    expectCode(await run(['app', 'disable', '--app', clientId]), 0);
    // Another process made the change, so the service may respond from its cache for a second.
    const connection = `${served.url}/partner/v1/connection`;
    const says = async (text: string): Promise<boolean> =>
      (await (await fetch(connection, { headers })).text()) === text;
    await waitUntil(async () => await says('{"error":"client_disabled"}'));
    expectCode(await run(['app', 'enable', '--app', clientId]), 0);
    expectCode(await run(['app', 'remove', '--app', clientId, '--yes']), 0);
    await waitUntil(async () => await says('{"error":"connection_revoked"}'));
    expectCode(await run(['app', 'remove', '--app', clientId]), 1);

    assert.equal(await served.stop('SIGINT'), 0);
    for (const secret of [
      password,
      clientSecret,
      String(tokens['accessToken']),
      String(key['key']),
    ]) {
      assert.ok(!served.printed().includes(secret), 'a secret was printed');
    }
  });

  it('imports read plain and gzip files, and a repeated import changes nothing', async () => {
    await using base = await openTestDatabase();
    using folder = temporaryFolder();
    const environment = environmentOf(base);
    const run = async (args: readonly string[]): Promise<Run> =>
      await runCardportInProcess(args, { environment });
    expectCode(await run(['shop', 'add', '--name', 'A', '--slug', 'a']), 0);
    const line = `${JSON.stringify({ kind: 'site', id: newId(), data: siteData })}\n`;
    const plain = join(folder.path, 'stock.ndjson');
    writeFileSync(plain, line);
    writeFileSync(`${plain}.gz`, gzipSync(line));
    const order = ['inventory', 'import', '--shop', 'a', '--json'];
    for (const file of [plain, `${plain}.gz`]) {
      assert.deepEqual(json(await run([...order, file])), { accepted: 1, rejected: [] });
    }
    expectCode(await run(['inventory', 'import', '--shop', 'a', `${plain}.none`]), 1);
    expectCode(await run(['inventory', 'import', '--shop', 'nobody', plain]), 1);
    const recount = ['inventory', 'recount', '--shop', 'a', '--json'];
    assert.deepEqual(json(await run(recount)), { wrong: 0 });
    assert.deepEqual(json(await run(['migrate', '--json'])), { applied: [], placed: [] });
    assert.equal((await run(['restored'])).code, 1);
    const dry = json(await run(['restored', '--dry-run', '--json']));
    assert.deepEqual(dry, { effects: { shops: 1 } });
    assert.deepEqual(json(await run(['restored', '--yes', '--json'])), {
      shops: 1,
      approvals: 0,
      toAsk: [],
    });
  });

  it('member add keeps the password of an existing account, and member set replaces or clears permissions', async () => {
    await using base = await openTestDatabase();
    const environment = environmentOf(base);
    const run = async (args: readonly string[], stdin = ''): Promise<Run> =>
      await runCardportInProcess(args, { environment, stdin });
    for (const slug of ['a', 'b']) {
      expectCode(await run(['shop', 'add', '--name', slug, '--slug', slug]), 0);
    }
    const add = ['member', 'add', '--email', 'hana@a.example', '--name', 'Hana', '--shop'];
    expectCode(await run([...add, 'a']), 2);
    for (const unfit of ['', '\n', 'short', '1234567\nlonger', 'x'.repeat(1_025)]) {
      expectCode(await run([...add, 'a', '--password-stdin'], unfit), 2);
    }
    // The process ends although it has not read all of its standard input.
    const stdin = 'x'.repeat(9_000);
    expectCode(await runCardport([...add, 'a', '--password-stdin'], { environment, stdin }), 2);
    expectCode(await run([...add, 'nobody', '--password-stdin'], 'long enough'), 1);
    const first = await run([...add, 'a', '--password-stdin', '--json'], 'long enough');
    const second = await run([...add, 'b', '--json']);
    assert.equal(json(first)['id'], json(second)['id']);
    expectCode(await run([...add, 'a']), 1);
    const order = [
      'token',
      '--shop',
      'a',
      '--app',
      'app_x',
      '--member',
      'hana@a.example',
      '--scope',
    ];
    for (const scope of ['', ' ', 'inventory:everything']) {
      expectCode(await run([...order, scope]), 2);
    }
    expectCode(await run([...order, 'inventory:read']), 1);
    const set = async (...options: string[]): Promise<unknown> =>
      json(
        await run([
          'member',
          'set',
          '--shop',
          'a',
          '--email',
          'HANA@a.example',
          '--json',
          ...options,
        ]),
      );
    const has = { id: json(first)['id'], email: 'hana@a.example' };
    const all = ['--permission', 'purchases.read', '--permission', 'inventory.cost'];
    const permissions = ['purchases.read', 'inventory.cost'];
    const none = { addedPermissions: [], removedPermissions: [] };
    const is = (changed: object): object => ({
      ...has,
      permissions,
      ...none,
      wasActive: true,
      endsManagement: false,
      ...changed,
    });
    assert.deepEqual(await set(...all), is({ addedPermissions: permissions, isActive: true }));
    assert.deepEqual(await set('--deactivate'), is({ isActive: false }));
    assert.deepEqual(await set('--activate'), is({ isActive: true, wasActive: false }));
    for (const none of [['--permission', ''], ['--no-permissions']]) {
      const removed = { permissions: [], removedPermissions: permissions, isActive: true };
      assert.deepEqual(await set(...none), is(removed));
      await set(...all);
    }
  });
});

const siteData = {
  code: 'main',
  name: '本店',
  kind: 'store',
  countryCode: 'JP',
  timezone: 'Asia/Tokyo',
};

function rejectedLinesOf(report: unknown): unknown[] {
  assert.ok(typeof report === 'object' && report !== null && 'rejected' in report);
  assert.ok(Array.isArray(report.rejected));
  return report.rejected.map((each: { line: number }) => each.line);
}
