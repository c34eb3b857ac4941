import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Unit } from '@cardport/client';
import { signNotice } from '@cardport/client/testing';
import { temporaryFolder } from '../../../server/test/cardport.ts';
import { CHROMIUM_PATH, withChromium } from '../../../server/test/chromium.ts';
import { type EmulatorProcess, startEmulator } from '../../../server/test/emulator.ts';
import { waitUntil } from '../../../server/test/wait-until.ts';
import { type BoardProcess, freePort, queryDatabase, startBoard } from './board-process.ts';

/** Enough units for two pages of the feed. */
const UNITS = 560;

/** Selects the webhook's secret, if one is stored. */
const SECRETS = "select value from fact where name = 'webhookSecret' and value like '%whsec_%'";

describe('the example app', { concurrency: false }, () => {
  const folder = temporaryFolder();
  const dataFile = join(folder.path, 'board.db');
  let emulator: EmulatorProcess;
  let place: { readonly port: number; readonly dataFile: string };
  let board: BoardProcess;
  let managerCookie = '';

  before(async () => {
    place = { port: await freePort(), dataFile };
    const redirectUri = `http://127.0.0.1:${place.port}/callback`;
    emulator = await startEmulator(['--units', String(UNITS), '--redirect-uri', redirectUri]);
    board = await startBoard(emulator, place);
  });
  after(async () => {
    await board.stop();
    await emulator[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  async function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return await fetch(board.url + path, { headers, redirect: 'manual' });
  }
  async function read(path: string): Promise<string> {
    return await (await get(path)).text();
  }
  async function shopApi(path: string, method = 'GET', body?: object): Promise<unknown> {
    const shopKey = emulator.shops[0]?.shopKey ?? '';
    const answer = await fetch(emulator.shopApiUrl + path, {
      method,
      headers: { authorization: `Bearer ${shopKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  }
  /** Returns the shop's units for sale, the most expensive first. */
  async function unitsForSale(): Promise<readonly Unit[]> {
    const units: Unit[] = [];
    let path = '/units?limit=1000';
    for (let pages = 0; pages < 10; pages++) {
      const page = (await shopApi(path)) as {
        units: Unit[];
        nextCursor: string;
        hasMore: boolean;
      };
      units.push(...page.units.filter(({ status }) => status === 'in_stock'));
      if (!page.hasMore) break;
      path = `/units?limit=1000&cursor=${page.nextCursor}`;
    }
    const price = ({ priceMinor }: Unit): number => priceMinor ?? -1;
    return units.toSorted((a, b) => price(b) - price(a) || (a.id < b.id ? -1 : 1));
  }
  function shown(): readonly unknown[] {
    return queryDatabase(dataFile, 'select id from unit order by price_minor desc, id');
  }
  async function expectShopStock(): Promise<void> {
    const ids = (await unitsForSale()).map(({ id }) => id);
    await waitUntil(() => shown().length === ids.length);
    assert.deepEqual(shown(), ids);
  }
  /** Connects the app without a browser: the emulator approves, and returns the callback. */
  async function connect(email = 'owner@emulated.example'): Promise<Response> {
    const begun = await get('/connect');
    const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const authorizationUrl = begun.headers.get('location') ?? '';
    const { redirectUrl } = await emulator.admin('approvals', { authorizationUrl, email });
    const back = await fetch(String(redirectUrl), { headers: { cookie }, redirect: 'manual' });
    managerCookie = cookie;
    return back;
  }
  /** Returns the paths of the requests after number `since`, oldest first, and the last number. */
  async function requests(since = 0): Promise<{ paths: readonly string[]; last: number }> {
    const answer = await fetch(`${emulator.adminUrl}/requests?since=${since}`);
    const log = (await answer.json()) as { total: number; requests: { path: string }[] };
    return { paths: log.requests.map(({ path }) => path), last: log.total };
  }
  /** Sends a genuine notice to the app. */
  async function wake(): Promise<void> {
    const [secret] = queryDatabase(dataFile, SECRETS);
    const { body, headers } = await signNotice({ secret: JSON.parse(String(secret)) as string });
    const answer = await fetch(`${board.url}/webhook`, { method: 'POST', headers, body });
    assert.equal(answer.status, 204);
  }
  /** Returns whether the app has read the feed from the beginning since that request. */
  async function hasReadFromBeginning(since: number): Promise<boolean> {
    return (await requests(since)).paths.includes('/partner/v1/inventory/changes');
  }
  async function setPrice(unit: Unit, priceMinor: number): Promise<void> {
    await shopApi(`/units/${unit.id}`, 'PUT', { priceMinor });
  }

  it('the app shows only how to connect while no shop is connected', async () => {
    for (const path of ['/', '/stock', '/manage']) {
      const answer = await get(path);
      const page = await answer.text();
      assert.equal(answer.status, 200);
      assert.match(page, /href="\/connect">Connect your shop</);
      assert.doesNotMatch(page, /Disconnect/);
      assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    }
    const nothing = await get('/nothing');
    assert.equal(nothing.status, 404);
    assert.match(await nothing.text(), /There is no such page/);
    const { body, headers } = await signNotice({ secret: `whsec_${btoa('secret')}` });
    const notice = await fetch(`${board.url}/webhook`, { method: 'POST', headers, body });
    assert.equal(notice.status, 401);
  });

  it('speaks the language that the browser prefers: English or Japanese', async () => {
    for (const [accepted, language, text] of [
      ['fr-CH, ja;q=0.9, en;q=0.8', 'ja', 'ショップを接続'],
      ['en-GB,ja;q=0.5', 'en', 'Connect your shop'],
      ['fr', 'en', 'Connect your shop'],
    ] as const) {
      const page = await (await get('/', { 'accept-language': accepted })).text();
      assert.ok(page.includes(`<html lang="${language}">`), accepted);
      assert.ok(page.includes(`href="/connect">${text}<`), accepted);
    }
  });

  it('the app stores the started approval in an HttpOnly cookie, and uses S256', async () => {
    const begun = await get('/connect');
    assert.equal(begun.status, 303);
    assert.match(
      begun.headers.getSetCookie()[0] ?? '',
      /^browser=[\w-]{36};.*HttpOnly; SameSite=Lax$/,
    );
    const asked = new URL(begun.headers.get('location') ?? '');
    assert.equal(asked.searchParams.get('code_challenge_method'), 'S256');
    assert.equal(asked.searchParams.get('resource'), emulator.baseUrl);
  });

  it('the app refuses a callback that this browser did not start', async () => {
    const begun = await get('/connect');
    const { redirectUrl } = await emulator.admin('approvals', {
      authorizationUrl: begun.headers.get('location') ?? '',
    });
    const other = (await get('/connect')).headers.getSetCookie()[0]?.split(';')[0] ?? '';
    for (const headers of [{}, { cookie: other }]) {
      const answer = await fetch(String(redirectUrl), { headers, redirect: 'manual' });
      assert.equal(answer.status, 502);
      assert.deepEqual(answer.headers.getSetCookie(), []);
    }
    assert.deepEqual(
      queryDatabase(dataFile, "select name from fact where name like 'tokens%'"),
      [],
    );
  });

  it('the app says that approval was denied, and accepts each approval once', async () => {
    const begun = await get('/connect');
    const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const { redirectUrl } = await emulator.admin('approvals', {
      authorizationUrl: begun.headers.get('location') ?? '',
      decision: 'deny',
    });
    const answer = async (): Promise<Response> =>
      await fetch(String(redirectUrl), { headers: { cookie }, redirect: 'manual' });
    const first = await answer();
    const page = await first.text();
    assert.equal(first.status, 403, page);
    assert.match(page, /You did not allow access/);
    assert.equal((await answer()).status, 502);
  });

  it('connects in a browser without JavaScript, and shows the shop’s stock', async () => {
    if (CHROMIUM_PATH === undefined) {
      const back = await connect();
      assert.equal(back.headers.get('location'), '/');
    } else {
      await withChromium({ locale: 'en-US', width: 1280, hasScripts: false }, async (context) => {
        const page = await context.newPage();
        await page.goto(board.url);
        await page.getByRole('link', { name: 'Connect your shop' }).click();
        await page.locator('input[name="email"]').fill('owner@emulated.example');
        await page.locator('input[name="password"]').fill('emulated password');
        const signIn = page.locator('form', { has: page.locator('input[name="password"]') });
        await signIn.getByRole('button').click();
        await page.locator('button[name="decision"][value="allow"]').click();
        await page.waitForURL(`${board.url}/`);
        await page.getByRole('link', { name: 'In stock' }).click();
        await page.waitForURL(`${board.url}/stock`);
        assert.match(await page.title(), /ほしぞらカード/);
        await page.getByRole('link', { name: 'Manage this board' }).click();
        await page.getByRole('button', { name: 'Disconnect' }).waitFor();
        const cookies = await context.cookies(board.url);
        const manager = cookies.find(({ name }) => name === 'browser');
        assert.equal(manager?.httpOnly, true);
        managerCookie = `browser=${manager?.value}`;
      });
    }
    await expectShopStock();
    const [dearest] = await unitsForSale();
    assert.match(await read('/stock'), new RegExp(`¥${dearest?.priceMinor?.toLocaleString('en')}`));
    assert.match(await read('/stock?page=2'), />Back</);
    assert.equal(statSync(dataFile).mode & 0o077, 0, 'only the owner may read the tokens');
  });

  it('the app shows open boosts in the shop’s order with their remaining quantity', async () => {
    const { boosts } = (await shopApi('/boosts?status=open')) as {
      boosts: { priceMinor: number; remainingQuantity: number | null }[];
    };
    await waitUntil(async () => (await read('/')).includes('We take'));
    const prices = [...(await read('/')).matchAll(/class="price">¥([\d,]+)</g)].map(([, price]) =>
      Number(price?.replaceAll(',', '')),
    );
    const asked = boosts.map(({ priceMinor }) => priceMinor).toSorted((a, b) => b - a);
    assert.deepEqual(prices, asked);
    const japanese = await (await get('/', { 'accept-language': 'ja' })).text();
    assert.ok(
      boosts.every(({ remainingQuantity: n }) => n === null || japanese.includes(`残り ${n} 点`)),
    );
    assert.doesNotMatch(japanese, /We take|until|Last synced|Manage this board/);
    // Only the catalog tells the finish of a boost's card.
    await waitUntil(async () => (await read('/')).includes('<b>Holo</b>'));
    assert.doesNotMatch(await read('/'), /<b>normal<\/b>/);
    // Browsers with scripts do not reload.
    assert.match(await read('/'), /<noscript><meta http-equiv="refresh" content="10"><\/noscript>/);
    assert.doesNotMatch(await read('/stock'), /http-equiv|data-seconds="\d/);
  });

  it('the search finds words in any case and width, and the search text is escaped', async () => {
    const found = await read(`/stock?search=${encodeURIComponent('ｈｔ０１ 竜')}`);
    assert.match(found, /竜アルバ/);
    const typed = await read(`/stock?search=${encodeURIComponent('"><script>%_')}`);
    assert.match(typed, /Nothing found/);
    assert.doesNotMatch(typed, /<script>/);
  });

  it('downloads a photo once and serves its own copy', async () => {
    const unit = (await unitsForSale()).find(({ photos }) => photos.length > 0);
    assert.ok(unit !== undefined);
    // The browser of an earlier test has already loaded the small photos.
    const side = unit.photos[0]?.side;
    const path = `/photos/${unit.id}/${side}/large`;
    const asked = `/partner/v1/inventory/items/${unit.id}/photos/${side}?size=large`;
    const { last } = await requests();
    const [first, again] = await Promise.all([get(path), get(path)]);
    assert.match(first.headers.get('content-type') ?? '', /^image\//);
    assert.deepEqual(await first.bytes(), await again.bytes());
    const { paths } = await requests(last);
    assert.equal(paths.filter((each) => each === asked).length, 1);
    assert.equal((await get(`/photos/${unit.id}/sideways/small`)).status, 404);
    assert.equal((await get(`/photos/${crypto.randomUUID()}/front/small`)).status, 404);
  });

  it('the app shows a change when its notice has arrived, and removes a sold unit', async () => {
    const [dearest, second] = await unitsForSale();
    assert.ok(dearest !== undefined && second !== undefined);
    await setPrice(second, 9_876_543);
    await waitUntil(async () => (await read('/stock')).includes('¥9,876,543'));
    const { connections } = (await shopApi('/connections?status=active')) as {
      connections: { id: string }[];
    };
    await waitUntil(async () => {
      const log = await shopApi(`/connections/${connections[0]?.id}/attempts`);
      return JSON.stringify(log).includes('204');
    });
    await shopApi(`/units/${second.id}/status`, 'POST', { status: 'sold' });
    await waitUntil(async () => !(await read('/stock')).includes('¥9,876,543'));
    assert.equal((await get(`/photos/${second.id}/front/small`)).status, 404);
    await expectShopStock();
  });

  it('the app refuses a notice with a wrong signature', async () => {
    const { body, headers } = await signNotice({ secret: `whsec_${btoa('another secret')}` });
    const answer = await fetch(`${board.url}/webhook`, { method: 'POST', headers, body });
    assert.equal(answer.status, 401);
  });

  it('can be disconnected only by the browser that approved, and only from its own page', async () => {
    for (const headers of [
      { cookie: managerCookie, origin: 'https://elsewhere.example' },
      { cookie: 'browser=0000', origin: board.url },
      { origin: board.url },
      { cookie: managerCookie },
    ]) {
      await fetch(`${board.url}/manage`, { method: 'POST', headers, redirect: 'manual' });
      assert.match(await read('/manage'), /Connected/);
    }
    assert.doesNotMatch(await read('/manage'), /Disconnect/);
    assert.match(await (await get('/manage', { cookie: managerCookie })).text(), /Disconnect/);
  });

  it('the app keeps its data when it restarts, and continues from its cursor', async () => {
    await board.stop();
    const [before, { last }] = [shown(), await requests()];
    const unit = (await unitsForSale())[3];
    assert.ok(unit !== undefined);
    await setPrice(unit, 7_654_321);
    board = await startBoard(emulator, place);
    assert.deepEqual(new Set(shown()), new Set(before));
    await waitUntil(async () => (await read('/stock')).includes('¥7,654,321'));
    await expectShopStock();
    assert.equal(await hasReadFromBeginning(last), false);
  });

  it('the app reads everything again when the shop was restored from a backup', async () => {
    const { last } = await requests();
    await emulator.admin('faults/expire-cursors');
    await wake();
    await waitUntil(async () => await hasReadFromBeginning(last));
    await expectShopStock();
  });

  it('the app loses nothing when it is killed in the middle of its first sync', async () => {
    await board.stop();
    const fresh = { port: place.port, dataFile: join(folder.path, 'killed.db') };
    await emulator.admin('faults/slow-answers', {
      delayMs: 300,
      count: 20,
      path: '/partner/v1/inventory/changes',
    });
    board = await startBoard(emulator, fresh);
    await connect();
    const count = (): number => queryDatabase(fresh.dataFile, 'select id from unit').length;
    await waitUntil(() => count() > 0);
    await board.stop('SIGKILL');
    const kept = count();
    const all = (await unitsForSale()).map(({ id }) => id);
    assert.ok(kept < all.length, `${kept} of ${all.length}`);
    await emulator.admin('faults/clear');
    board = await startBoard(emulator, fresh);
    await waitUntil(() => count() === all.length);
    assert.deepEqual(new Set(queryDatabase(fresh.dataFile, 'select id from unit')), new Set(all));
    assert.match(await read('/stock'), /ほしぞらカード/);
    await board.stop();
  });

  it('after the shop ended the connection, the app shows what to do and no price, until a new approval', async () => {
    board = await startBoard(emulator, place);
    await waitUntil(async () => (await read('/')).includes('We take'));
    await emulator.admin('faults/revoke-connection', { clientId: 'app_emulated' });
    await wake();
    await waitUntil(async () => (await read('/')).includes('This board is paused'));
    const page = await read('/stock');
    assert.match(page, /approval has ended.*connect it again/s);
    assert.doesNotMatch(page, /class="price"/);
    assert.notEqual(shown().length, 0);
    await emulator.admin('faults/fail-answers', { status: 418, path: '/partner/v1/webhook' });
    const old = managerCookie;
    await connect();
    assert.doesNotMatch(await (await get('/manage', { cookie: old })).text(), /Disconnect/);
    await waitUntil(async () => (await read('/stock')).includes('class="price"'));
    await expectShopStock();
  });

  it('the app registers its webhook later if the registration failed', async () => {
    await board.stop();
    board = await startBoard(emulator, place);
    await waitUntil(() => queryDatabase(dataFile, SECRETS).length === 1);
    await wake();
    assert.doesNotMatch(await read('/'), /not responding/);
  });

  it('the app says that the approving member may not see boosts, and shows the stock', async () => {
    await connect('clerk@emulated.example');
    await waitUntil(async () => (await read('/')).includes('may not see what the shop buys'));
    const page = await read('/');
    assert.doesNotMatch(page, /Nothing above the usual price|We take|not responding/);
    assert.match(page, /href="\/connect"/, 'another member can connect it');
    assert.match(await read('/stock'), /class="price"/);
    await waitUntil(() => queryDatabase(dataFile, SECRETS).length === 1);
  });

  it('disconnects, and deletes the shop’s data', async () => {
    const headers = { cookie: managerCookie, origin: board.url };
    await fetch(`${board.url}/manage`, { method: 'POST', headers, redirect: 'manual' });
    assert.match(await read('/'), /No shop yet/);
    for (const table of ['unit', 'site']) {
      assert.deepEqual(queryDatabase(dataFile, `select * from ${table}`), []);
    }
    const kept = queryDatabase(dataFile, "select name from fact where value <> 'null'");
    assert.deepEqual(kept, []);
    const { connections } = (await shopApi('/connections?status=active')) as {
      connections: { app: { clientId: string } }[];
    };
    assert.ok(connections.every(({ app }) => app.clientId !== 'app_emulated'));
  });
});
