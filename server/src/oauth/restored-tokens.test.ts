import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppClient, type TokenAnswer } from '../../test/app-client.ts';
import { seedShop, startTestService, type TestService } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { HeldClock } from '../base/clock.ts';
import { dumpDatabase, loadBackup } from '../database/backup.ts';
import { recordRestore } from '../grants/restored-token.ts';

const DAY_MS = 86_400_000;

describe('refresh tokens of the time that a restore has lost (decision 0215)', () => {
  let base: TestDatabase;
  let service: TestService;
  let clock: HeldClock;
  const open: AsyncDisposable[] = [];
  before(async () => {
    base = await openTestDatabase();
    clock = new HeldClock(new Date());
    service = await startTestService(base, { clock });
  });
  after(async () => {
    for (const each of open.toReversed()) await each[Symbol.asyncDispose]();
    await service.close();
    await base.close();
  });

  /**
   * An app that was refreshed once before the backup, and `times` after it; the service of the restored database. `lost`
   * holds the refresh tokens, the one of the backup first.
   */
  async function restored(
    times: number,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<{ app: AppClient; node: TestService; copy: TestDatabase; lost: string[] }> {
    const app = new AppClient(service, await seedShop(base));
    const { access_token: access, refresh_token: first } = await app.tokens();
    assert.equal((await app.call('POST', '/connection', access)).status, 201);
    const lost = [await refreshed(app, first)];
    const lines: string[] = [];
    for await (const line of dumpDatabase(base.engine)) lines.push(line.trimEnd());
    for (let time = 0; time < times; time++) lost.push(await refreshed(app, lost.at(-1) ?? ''));
    clock.advance(1_000);
    const copy = await openTestDatabase();
    open.push(copy);
    await loadBackup(copy.engine, toStream(lines));
    await copy.db.transaction(async (tx) => await recordRestore(tx, clock.now()));
    const node = await startTestService(copy, {
      clock,
      environment: { PUBLIC_URL: service.publicUrl, ...environment },
    });
    open.push(node);
    const addresses = { ...node, authUrl: `${node.url}/auth`, partnerUrl: service.partnerUrl };
    return { app: new AppClient(addresses, app.seeded), node, copy, lost };
  }

  it('the newest goes on: it is rotated, its tokens work, and those of the backup do not', async () => {
    const { app, node, lost } = await restored(3);
    const [ofBackup = '', , , newest = ''] = lost;
    const answer = await app.refresh(newest, {}, { 'idempotency-key': 'k' });
    assert.equal(answer.status, 200, answer.text);
    assert.equal((await app.refresh(newest, {}, { 'idempotency-key': 'k' })).text, answer.text);
    assert.equal(await connectionStatus(node, answer.body.access_token), 200);
    assertRefused(await app.refresh(ofBackup));
    await refreshed(app, answer.body.refresh_token ?? '');
  });

  it('an older one gives way when the newest comes, whatever it was given meanwhile', async () => {
    const { app, node, lost } = await restored(3);
    const [, older = '', , newest = ''] = lost;
    const thief = await app.refresh(older);
    assert.equal(thief.status, 200);
    const owner = await app.refresh(newest);
    assert.equal(owner.status, 200, owner.text);
    assert.equal(await connectionStatus(node, thief.body.access_token), 401);
    assertRefused(await app.refresh(thief.body.refresh_token ?? ''));
    await refreshed(app, owner.body.refresh_token ?? '');
  });

  it('an older one is refused after the newest, and changes nothing', async () => {
    const { app, lost } = await restored(3);
    const [, older = '', second = '', newest = ''] = lost;
    const owner = await refreshed(app, newest);
    assertRefused(await app.refresh(older));
    clock.advance(61_000);
    assertRefused(await app.refresh(second));
    await refreshed(app, owner);
  });

  it('the newest a second time after 60 s is a reuse, as ever', async () => {
    const { app, lost } = await restored(2);
    const next = await refreshed(app, lost.at(-1) ?? '');
    clock.advance(61_000);
    assertRefused(await app.refresh(lost.at(-1) ?? ''));
    assertRefused(await app.refresh(next));
  });

  it('twice at once it is one refresh', async () => {
    const { app, lost } = await restored(2);
    const key = { 'idempotency-key': 'k' };
    const newest = lost.at(-1) ?? '';
    const answers = await Promise.all([1, 2, 3, 4].map(() => app.refresh(newest, {}, key)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  });

  it('is recognised for 7 days, not longer, and not at all where that is off', async () => {
    const { app, lost } = await restored(1);
    clock.advance(7 * DAY_MS + 60_000);
    assertRefused(await app.refresh(lost.at(-1) ?? ''));
    clock.advance(-7 * DAY_MS - 60_000);
    await refreshed(app, lost.at(-1) ?? '');
    const off = await restored(1, { RESTORED_TOKENS_DAYS: '0' });
    assertRefused(await off.app.refresh(off.lost.at(-1) ?? ''));
  });

  it('another app, a wrong secret, an altered token or another key recognise nothing', async () => {
    const { app, node, copy, lost } = await restored(1);
    const newest = lost.at(-1) ?? '';
    const other = new AppClient(app.service, await seedShop(copy));
    assertRefused(await other.refresh(newest));
    const wrong = await app.refresh(newest, {}, { authorization: app.basic('cps_wrong') });
    assert.equal(wrong.status, 401);
    const altered = `${newest.slice(0, -1)}${newest.endsWith('0') ? '1' : '0'}`;
    assertRefused(await app.refresh(altered));
    await node.close();
    await refreshedBy(copy, app, newest);
  });

  async function refreshedBy(copy: TestDatabase, app: AppClient, token: string): Promise<void> {
    const node = await startTestService(copy, {
      clock,
      environment: { PUBLIC_URL: service.publicUrl },
    });
    open.push(node);
    await refreshed(
      new AppClient({ ...app.service, url: node.url, authUrl: `${node.url}/auth` }, app.seeded),
      token,
    );
  }

  it('is nothing when its approval has ended', async () => {
    const { app, node, lost } = await restored(1);
    const access = (await app.refresh(lost[0] ?? '')).body.access_token;
    assert.equal(await connectionStatus(node, access, 'DELETE'), 204);
    assertRefused(await app.refresh(lost.at(-1) ?? ''));
  });

  it('revokes the approval when its app presents it to be revoked (RFC 7009)', async () => {
    const { app, lost } = await restored(2);
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
