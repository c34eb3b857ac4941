import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppClient } from '../../test/app-client.ts';
import { environmentOf, runCardportInProcess } from '../../test/cardport-in-process.ts';
import {
  seedShop,
  startTestService,
  TEST_SECRET_KEY,
  type TestService,
  type TestServiceOverrides,
} from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { deriveKey } from '../base/keys.ts';
import { openLog } from '../base/log.ts';
import { newId } from '../base/secrets.ts';
import { statement } from '../database/statement.ts';
import { openCursorCodec } from '../inventory/cursors.ts';
import { putSite } from '../inventory/site.ts';

// What a restore of an older backup does to the rows that these tests depend on.
export const setTestIdentity = statement(
  'test_set_identity',
  `update database_identity set identity = $1 || identity, timeline = $2 || timeline`,
);
export const countTestIdentities = statement<{ readonly count: number }>(
  'test_count_identities',
  `select count(*) as count from database_identity`,
);
export const deleteTestTokens = statement(
  'test_delete_newest_tokens',
  `delete from oauth_artifact where model = 'AccessToken' or
    (model, expires_at) in (select model, max(expires_at) from oauth_artifact where model = 'RefreshToken' group by 1)`,
);
export const unspendTestTokens = statement(
  'test_unspend_tokens',
  `update oauth_artifact set consumed_at = null where model = 'RefreshToken'`,
);
export const findTestDueShops = statement<{ readonly shopId: string }>(
  'test_find_due_shops',
  `select shop_id as "shopId" from feed_head where epoch > 1`,
);

export const countTestRestores = statement<{ readonly count: number }>(
  'test_count_restores',
  'select count(*) as count from restore',
);

const SITE = { name: '本店', kind: 'store', countryCode: 'JP', timezone: 'Asia/Tokyo' } as const;

interface Scene {
  readonly base: TestDatabase;
  readonly service: TestService;
  readonly app: AppClient;
  readonly access: string;
  readonly refreshToken: string;
  /** A cursor at the head. */
  readonly cursor: string;
  readonly lines: string[];
}

async function openScene(
  stack: AsyncDisposableStack,
  overrides: TestServiceOverrides = {},
): Promise<Scene> {
  const base = stack.use(await openTestDatabase());
  const lines: string[] = [];
  const log = openLog({ level: 'info', write: (text) => void lines.push(text) });
  const service = stack.use(await startTestService(base, { log, ...overrides }));
  const app = new AppClient(service, await seedShop(base));
  const tokens = await app.tokens();
  assert.equal((await app.call('POST', '/connection', tokens.access_token)).status, 201);
  await write(base, app);
  const first = await app.call('GET', '/inventory/changes', tokens.access_token);
  const { nextCursor: cursor }: { nextCursor: string } = JSON.parse(first.text);
  const { access_token: access, refresh_token: refreshToken } = tokens;
  return { base, service, app, access, refreshToken, cursor, lines };
}

async function write({ db }: TestDatabase, { seeded }: AppClient): Promise<void> {
  await db.transaction(async (tx) => {
    const site = { ...SITE, code: newId().slice(0, 8) };
    assert.equal((await putSite(tx, seeded.shop.id, newId(), site, new Date())).kind, 'created');
  });
}

async function readiness({ service }: Scene): Promise<string> {
  const answer = await fetch(`${service.url}/readyz`);
  assert.equal(answer.status, 200);
  return await answer.text();
}

async function read({ app, access }: Scene, cursor: string): Promise<number> {
  const { status, headers, text } = await app.call(
    'GET',
    `/inventory/changes?cursor=${cursor}`,
    access,
  );
  if (status === 503) {
    assert.ok(Number(headers.get('retry-after')) > 0);
    assert.equal(text, '{"error":"temporarily_unavailable"}');
  }
  return status;
}

async function run({ base }: Scene, ...args: readonly string[]): Promise<void> {
  const result = await runCardportInProcess(args, { environment: environmentOf(base) });
  assert.equal(result.code, 0, result.stderr);
}

/** Waits until the service has noticed a change of the identity, or a decision. */
async function untilReady(scene: Scene, pattern: RegExp): Promise<void> {
  await waitUntil(async () => pattern.test(await readiness(scene)));
}

const REPLACED = /was restored or replaced/;
const DECIDED = /^\{"status":"ready"\}$/;

describe('a database that was restored or replaced (decision 0238)', () => {
  it('the first start records the identity, and a template of tests has none', async () => {
    await using base = await openTestDatabase();
    assert.deepEqual(await base.db.one(countTestIdentities), { count: 0 });
    for (let start = 0; start < 2; start++) {
      await using service = await startTestService(base);
      assert.match(await (await fetch(`${service.url}/readyz`)).text(), DECIDED);
    }
    assert.deepEqual(await base.db.one(countTestIdentities), { count: 1 });
  });

  it('reads with a cursor get 503 on every node until the operator decides, other reads go on', async () => {
    await using stack = new AsyncDisposableStack();
    const scene = await openScene(stack);
    const { base, app, access, cursor, lines } = scene;
    await base.db.query(setTestIdentity, ['other', '']);
    await untilReady(scene, REPLACED);
    const environment = { PUBLIC_URL: scene.service.publicUrl };
    const node = stack.use(await startTestService(base, { environment }));
    const there = new AppClient(
      { ...app.service, url: node.url, partnerUrl: node.url },
      app.seeded,
    );
    const path = `/partner/v1/inventory/changes?cursor=${cursor}`;
    assert.equal((await there.call('GET', path, access)).status, 503);
    assert.equal(await read(scene, cursor), 503);
    assert.equal((await app.call('GET', '/inventory/changes', access)).status, 200);
    assert.equal((await app.call('GET', '/connection', access)).status, 200);
    assert.equal(lines.filter((line) => REPLACED.test(line)).length, 1);
    assert.match(lines.find((line) => REPLACED.test(line)) ?? '', /"level":"error"|"level":50/);
    const refused = await runCardportInProcess(['doctor'], { environment: environmentOf(base) });
    assert.match(refused.stdout, /problem +database identity: the database was restored/);

    await run(scene, 'restored', '--same-data', '--yes');
    await untilReady(scene, DECIDED);
    assert.equal(await read(scene, cursor), 200);
    const checked = await runCardportInProcess(['doctor'], { environment: environmentOf(base) });
    assert.match(checked.stdout, /ok +database identity: /);
  });

  it('after "cardport restored" every earlier cursor is expired, and no warning is left', async () => {
    await using stack = new AsyncDisposableStack();
    const scene = await openScene(stack);
    await scene.base.db.query(setTestIdentity, ['other', '']);
    await untilReady(scene, REPLACED);
    await run(scene, 'restored', '--yes');
    await untilReady(scene, DECIDED);
    assert.equal(await read(scene, scene.cursor), 410);
  });

  it('with ON_RESTORE=expire the service decides itself, once for all nodes', async () => {
    await using stack = new AsyncDisposableStack();
    const environment = { ON_RESTORE: 'expire' };
    const scene = await openScene(stack, { environment });
    stack.use(await startTestService(scene.base, { environment }));
    await scene.base.db.query(setTestIdentity, ['other', '']);
    await waitUntil(async () => (await read(scene, scene.cursor)) === 410);
    await untilReady(scene, DECIDED);
    const { count } = (await scene.base.db.one(countTestRestores)) ?? { count: 0 };
    assert.equal(count, 1);
  });

  for (const [name, environment, pattern, status] of [
    ['with one host a new timeline counts as a restore', {}, REPLACED, 503],
    [
      'with DATABASE_FAILS_OVER a new timeline is only a warning',
      { DATABASE_FAILS_OVER: 'true' },
      /another server has become the primary/,
      200,
    ],
  ] as const) {
    it(name, async () => {
      await using stack = new AsyncDisposableStack();
      const scene = await openScene(stack, { environment });
      await scene.base.db.query(setTestIdentity, ['', '9']);
      await untilReady(scene, pattern);
      assert.equal(await read(scene, scene.cursor), status);
    });
  }

  it('the first genuine cursor past the head ends the epoch of all shops for good', async () => {
    await using stack = new AsyncDisposableStack();
    const scene = await openScene(stack);
    const { base, app, cursor, lines } = scene;
    const other = await seedShop(base);
    const codec = await openCursorCodec(base.db, deriveKey(TEST_SECRET_KEY, 'cursor'), new Date());
    const at = await codec.decode(app.seeded.shop.id, cursor);
    assert.ok(at !== null);
    const past = codec.encode(app.seeded.shop.id, { ...at, seq: at.seq + 2 });
    const foreign = codec.encode(other.shop.id, { ...at, seq: at.seq + 2 });
    assert.equal(await read(scene, foreign), 400);
    assert.equal(await read(scene, cursor), 200);

    assert.equal(await read(scene, past), 410);
    for (let writes = 0; writes < 3; writes++) await write(base, app);
    assert.equal(await read(scene, past), 410);
    assert.equal(await read(scene, cursor), 410);
    const shops = await base.db.query(findTestDueShops);
    assert.deepEqual(
      shops.map(({ shopId }) => shopId).toSorted(),
      [app.seeded.shop.id, other.shop.id].toSorted(),
    );
    await untilReady(scene, /lacks changes that apps have seen.*cardport restored/);
    assert.match(lines.join(''), /all cursors have expired/);

    const again = await app.call('GET', '/inventory/changes', scene.access);
    const { nextCursor }: { nextCursor: string } = JSON.parse(again.text);
    assert.equal(await read(scene, nextCursor), 200);
    await run(scene, 'restored', '--same-data', '--yes');
    await untilReady(scene, DECIDED);
    assert.equal(await read(scene, nextCursor), 200);
  });

  it('a cursor of a later epoch is past the head, too', async () => {
    await using stack = new AsyncDisposableStack();
    const scene = await openScene(stack);
    const { base, app, cursor } = scene;
    const codec = await openCursorCodec(base.db, deriveKey(TEST_SECRET_KEY, 'cursor'), new Date());
    const epoch = Math.floor(Date.now() / 1_000) + 1_000;
    assert.equal(await read(scene, codec.encode(app.seeded.shop.id, { epoch, seq: 0 })), 410);
    assert.equal(await read(scene, cursor), 410);
    assert.equal(await read(scene, codec.encode(app.seeded.shop.id, { epoch, seq: 0 })), 410);
  });

  it('an expired cursor of an earlier epoch proves nothing', async () => {
    await using stack = new AsyncDisposableStack();
    const scene = await openScene(stack);
    await run(scene, 'restored', '--yes');
    assert.equal(await read(scene, scene.cursor), 410);
    assert.match(await readiness(scene), DECIDED);
  });
});

describe('refresh tokens that a restored database does not know (decision 0238)', () => {
  /** Refreshes twice, and takes the last token from the database, as a restore does. */
  async function loseToken({ base, app, refreshToken }: Scene): Promise<[string, string]> {
    const first = (await app.refresh(refreshToken)).body.refresh_token ?? '';
    const second = (await app.refresh(first)).body.refresh_token ?? '';
    await base.db.query(deleteTestTokens);
    await base.db.query(unspendTestTokens);
    return [first, second];
  }

  it('the newest gets 503 instead of invalid_grant, and the approval is kept once "restored" was run', async () => {
    await using stack = new AsyncDisposableStack();
    const scene = await openScene(stack);
    const { app, base, cursor } = scene;
    const [first, lost] = await loseToken(scene);
    for (const call of [await app.refresh(lost), await app.refresh(lost), await app.revoke(lost)]) {
      assert.deepEqual([call.status, call.body.error], [503, 'temporarily_unavailable'], call.text);
      assert.ok(Number(call.headers.get('retry-after')) > 0);
    }
    await untilReady(scene, /lacks changes that apps have seen/);
    assert.equal((await base.db.query(findTestDueShops)).length, 1);

    await run(scene, 'restored', '--yes');
    const answer = await app.refresh(lost);
    assert.equal(answer.status, 200, answer.text);
    const access = answer.body.access_token ?? '';
    assert.equal(await read({ ...scene, access }, cursor), 410);
    const refused = await app.refresh(first);
    assert.equal(refused.body.error, 'invalid_grant');
  });

  it('after "restored --same-data", and with RESTORED_TOKENS_DAYS=0, it gets invalid_grant', async () => {
    await using stack = new AsyncDisposableStack();
    const scene = await openScene(stack);
    const [, lost] = await loseToken(scene);
    await run(scene, 'restored', '--same-data', '--yes');
    await waitUntil(async () => (await scene.app.refresh(lost)).status === 400);
    assert.equal((await scene.app.refresh(lost)).body.error, 'invalid_grant');
    assert.equal(await read({ ...scene, access: '' }, ''), 401);

    const without = await openScene(stack, { environment: { RESTORED_TOKENS_DAYS: '0' } });
    const [, other] = await loseToken(without);
    assert.equal((await without.app.refresh(other)).body.error, 'invalid_grant');
    assert.match(await readiness(without), DECIDED);
  });

  it('in a replaced database each unknown token of ours gets 503, and a forged one invalid_grant', async () => {
    await using stack = new AsyncDisposableStack();
    const scene = await openScene(stack);
    const { app, base, cursor, access, refreshToken } = scene;
    const stranger = await openScene(stack);
    await base.db.query(setTestIdentity, ['other', '']);
    await untilReady(scene, REPLACED);
    assert.equal((await app.refresh(stranger.refreshToken)).status, 503);
    assert.equal((await app.refresh(`${refreshToken.slice(0, -2)}00`)).body.error, 'invalid_grant');
    assert.equal(await read({ ...scene, access }, cursor), 503, 'no epoch has ended');
    assert.equal((await base.db.query(findTestDueShops)).length, 0);
  });

  it('an approval that has ended stays ended', async () => {
    await using stack = new AsyncDisposableStack();
    const scene = await openScene(stack);
    const next = (await scene.app.refresh(scene.refreshToken)).body.refresh_token ?? '';
    assert.equal((await scene.app.revoke(next)).status, 200);
    assert.equal((await scene.app.refresh(next)).body.error, 'invalid_grant');
    assert.match(await readiness(scene), DECIDED);
  });
});
