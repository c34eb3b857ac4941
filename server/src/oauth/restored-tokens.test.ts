import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppClient, type TokenAnswer } from '../../test/app-client.ts';
import {
  seedShop,
  type SeededShop,
  startTestService,
  type TestService,
} from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { ManualClock } from '../base/clock.ts';
import { dumpDatabase, loadBackup } from '../database/backup.ts';
import { recordRestore } from '../approvals/lost-token.ts';

const DAY_MS = 86_400_000;

describe('refresh tokens issued after the restored backup (decision 0215)', () => {
  let base: TestDatabase;
  let service: TestService;
  let copy: TestDatabase;
  let node: TestService;
  /**
   * Apps that no test has used yet. The first token in `lost` is the refresh token in the backup.
   * The others were issued later.
   */
  const apps: { readonly seeded: SeededShop; readonly lost: string[] }[] = [];
  let clock: ManualClock;
  before(async () => {
    // Not earlier: `recordRestore` compares it with the clock of the database.
    clock = new ManualClock(new Date());
    base = await openTestDatabase();
    service = await startTestService(base, { clock });
    const refreshes: {
      readonly app: AppClient;
      readonly times: number;
      readonly lost: string[];
    }[] = [];
    for (const times of [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]) {
      const app = new AppClient(service, await seedShop(base));
      const { access_token: access, refresh_token: first } = await app.tokens();
      assert.equal((await app.call('POST', '/connection', access)).status, 201);
      refreshes.push({ app, times, lost: [await refreshed(app, first)] });
    }
    const lines: string[] = [];
    for await (const line of dumpDatabase(base.engine)) lines.push(line.trimEnd());
    for (const { app, times, lost } of refreshes) {
      for (let time = 0; time < times; time++) lost.push(await refreshed(app, lost.at(-1) ?? ''));
      apps.push({ seeded: app.seeded, lost });
    }
    copy = await openTestDatabase();
    await loadBackup(copy.engine, toStream(lines));
    clock.advance(1_000);
    await copy.db.transaction(async (tx) => await recordRestore(tx, clock.now()));
    node = await startNode();
  });
  after(async () => {
    await node.close();
    await copy.close();
    await service.close();
    await base.close();
  });

  /** Starts a node on the restored database, at the public URL of the original service. */
  async function startNode(
    environment: Readonly<Record<string, string>> = {},
  ): Promise<TestService> {
    return await startTestService(copy, {
      clock,
      environment: { PUBLIC_URL: service.publicUrl, ...environment },
    });
  }

  function clientOf({ url }: TestService, seeded: SeededShop): AppClient {
    return new AppClient({ url, authUrl: `${url}/auth`, partnerUrl: service.partnerUrl }, seeded);
  }

  /**
   * Returns an unused app that was refreshed `times` times after the backup, as a client of a
   * restored node. `lost` holds its refresh tokens, starting with the token in the backup.
   */
  function restored(
    times: number,
    over = node,
  ): { readonly app: AppClient; readonly lost: readonly string[] } {
    const index = apps.findIndex(({ lost }) => lost.length === times + 1);
    const [found] = apps.splice(index, index === -1 ? 0 : 1);
    assert.ok(found, `no app is left that was refreshed ${times} times`);
    return { app: clientOf(over, found.seeded), lost: found.lost };
  }

  it('the newest token issued after the backup works, and ends the tokens in the backup', async () => {
    const { app, lost } = restored(3);
    const [ofBackup = '', , , newest = ''] = lost;
    const answer = await app.refresh(newest, {}, { 'idempotency-key': 'k' });
    assert.equal(answer.status, 200, answer.text);
    assert.equal((await app.refresh(newest, {}, { 'idempotency-key': 'k' })).text, answer.text);
    assert.equal(await connectionStatus(node, answer.body.access_token), 200);
    assertRefused(await app.refresh(ofBackup));
    await refreshed(app, answer.body.refresh_token ?? '');
  });

  it('an older token works, but the tokens issued for it end when the newest is used', async () => {
    const { app, lost } = restored(3);
    const [, older = '', , newest = ''] = lost;
    const thief = await app.refresh(older);
    assert.equal(thief.status, 200);
    const owner = await app.refresh(newest);
    assert.equal(owner.status, 200, owner.text);
    assert.equal(await connectionStatus(node, thief.body.access_token), 401);
    assertRefused(await app.refresh(thief.body.refresh_token ?? ''));
    await refreshed(app, owner.body.refresh_token ?? '');
  });

  it('an older token is refused if the newest was used before, and this changes nothing', async () => {
    const { app, lost } = restored(3);
    const [, older = '', second = '', newest = ''] = lost;
    const owner = await refreshed(app, newest);
    assertRefused(await app.refresh(older));
    clock.advance(61_000);
    assertRefused(await app.refresh(second));
    await refreshed(app, owner);
  });

  it('the grant ends if the newest token is used again after 60 s', async () => {
    const { app, lost } = restored(2);
    const next = await refreshed(app, lost.at(-1) ?? '');
    clock.advance(61_000);
    assertRefused(await app.refresh(lost.at(-1) ?? ''));
    assertRefused(await app.refresh(next));
  });

  it('two concurrent requests with one token get the same response', async () => {
    const { app, lost } = restored(2);
    const key = { 'idempotency-key': 'k' };
    const newest = lost.at(-1) ?? '';
    const answers = await Promise.all([1, 2, 3, 4].map(() => app.refresh(newest, {}, key)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  });

  it('tokens are accepted for 7 days, and never if RESTORED_TOKENS_DAYS is 0', async () => {
    const { app, lost } = restored(1);
    clock.advance(7 * DAY_MS + 60_000);
    assertRefused(await app.refresh(lost.at(-1) ?? ''));
    clock.advance(-7 * DAY_MS - 60_000);
    await refreshed(app, lost.at(-1) ?? '');
    await using off = await startNode({ RESTORED_TOKENS_DAYS: '0' });
    const late = restored(1, off);
    assertRefused(await late.app.refresh(late.lost.at(-1) ?? ''));
  });

  it('tokens are refused from another app, with a wrong secret, or if altered, and accepted by another node', async () => {
    const { app, lost } = restored(1);
    const newest = lost.at(-1) ?? '';
    const other = clientOf(node, await seedShop(copy));
    assertRefused(await other.refresh(newest));
    const wrong = await app.refresh(newest, {}, { authorization: app.basic('cps_wrong') });
    assert.equal(wrong.status, 401);
    const altered = `${newest.slice(0, -1)}${newest.endsWith('0') ? '1' : '0'}`;
    assertRefused(await app.refresh(altered));
    await using another = await startNode();
    await refreshed(clientOf(another, app.seeded), newest);
  });

  it('tokens have no effect if their approval has ended', async () => {
    const { app, lost } = restored(1);
    const access = (await app.refresh(lost[0] ?? '')).body.access_token;
    assert.equal(await connectionStatus(node, access, 'DELETE'), 204);
    assertRefused(await app.refresh(lost.at(-1) ?? ''));
  });

  it('the approval ends if the app revokes a token (RFC 7009)', async () => {
    const { app, lost } = restored(2);
    assert.equal((await app.revoke(lost.at(-1) ?? '')).status, 200);
    for (const token of lost) assertRefused(await app.refresh(token));
  });
});

async function connectionStatus(
  node: TestService,
  token = '',
  method: 'GET' | 'DELETE' = 'GET',
): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${node.url}/partner/v1/connection`, { method, headers })).status;
}

async function refreshed(app: AppClient, token: string): Promise<string> {
  const answer = await app.refresh(token);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.refresh_token ?? '';
}

function assertRefused(answer: TokenAnswer): void {
  assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_grant']);
}

async function* toStream(lines: readonly string[]): AsyncGenerator<string, void> {
  yield* lines;
}
