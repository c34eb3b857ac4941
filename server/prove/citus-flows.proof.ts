import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '../src/base/secrets.ts';
import { PERMISSIONS } from '../src/shops/permission.ts';
import { AppClient, type TokenAnswer } from '../test/app-client.ts';
import { environmentOf, runCardportInProcess } from '../test/cardport-in-process.ts';
import { newCard } from '../test/catalog.ts';
import { crawlConsole } from '../test/console-crawl.ts';
import { type HookReceiver, startHookReceiver } from '../test/hook-receiver.ts';
import { makePlainImage } from '../test/images.ts';
import { formTo, PlainBrowser, SIGN_IN } from '../test/plain-browser.ts';
import { type SeededShop, seedShop, startTestService, type TestService } from '../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../test/test-database.ts';
import { waitUntil } from '../test/wait-until.ts';

/** The shops that commands create, each with `UNITS` units. */
const SLUGS = Array.from({ length: 20 }, (_, n) => `flow-${n + 1}`);
const UNITS = 500;
const BATCH = 200;
const [SLUG = '', OTHER_SLUG = ''] = SLUGS;
const PERSON = { email: 'sora@flow.example', name: '空野 宙', password: 'a password of the flows' };
const PLACE = { kind: 'store', countryCode: 'JP', timezone: 'Asia/Tokyo' };
/** The pages of the console that an owner reaches by links are more than these. */
const CONSOLE_PAGES_MIN = 30;

interface Answer {
  readonly status: number;
  readonly text: string;
}

interface FeedPage {
  readonly changes: readonly { readonly kind: string; readonly id: string }[];
  readonly nextCursor: string;
  readonly hasMore: boolean;
}

// Each test is one step. Later steps need what earlier steps have created.
describe('the flows of operator, shop and app, step by step', () => {
  let base: TestDatabase;
  let service: TestService;
  let receiver: HookReceiver;
  let main: SeededShop;
  let app: AppClient;
  before(async () => {
    base = await openTestDatabase();
    receiver = await startHookReceiver();
    const environment = { ALLOW_LOOPBACK_WEBHOOKS: 'true' };
    service = await startTestService(base, { environment, delivers: true });
    const redirectUris = [new URL('/callback', receiver.url).href];
    main = await seedShop(base, { slug: 'main', redirectUris });
    app = new AppClient(service, main);
  });
  after(async () => {
    await service.close();
    await receiver[Symbol.asyncDispose]();
    await base.close();
  });

  async function run(
    args: readonly string[],
    stdin = '',
  ): Promise<Readonly<Record<string, unknown>>> {
    const environment = { ...environmentOf(base), PUBLIC_URL: service.publicUrl };
    const done = await runCardportInProcess([...args, '--json'], { environment, stdin });
    assert.equal(done.code, 0, `${args.join(' ')}: ${done.stderr}${done.stdout}`);
    const result: Readonly<Record<string, unknown>> = JSON.parse(done.stdout);
    return result;
  }

  async function assertListed(args: readonly string[], text: string): Promise<void> {
    const listed = JSON.stringify(await run(args));
    assert.ok(listed.includes(JSON.stringify(text)), listed);
  }

  async function callShop(method: string, path: string, body?: unknown): Promise<Answer> {
    return await send(`${service.shopUrl}${path}`, method, main.shopKey, body);
  }

  async function put(path: string, body: unknown, status = 201): Promise<void> {
    const answer = await callShop('PUT', path, body);
    assert.equal(answer.status, status, answer.text);
  }

  async function post(path: string, body?: unknown): Promise<void> {
    const answer = await callShop('POST', path, body);
    assert.ok(answer.status < 300, answer.text);
  }

  async function boostIds(): Promise<string> {
    return (await app.call('GET', '/purchase-boosts', access)).text;
  }

  /** Reads the feed to its end. */
  async function readFeed(from: string): Promise<FeedPage> {
    const changes: FeedPage['changes'][number][] = [];
    for (let cursor = from; ;) {
      const query = `limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const answer = await app.call('GET', `/inventory/changes?${query}`, access);
      assert.equal(answer.status, 200, answer.text);
      const page: FeedPage = JSON.parse(answer.text);
      changes.push(...page.changes);
      if (!page.hasMore) return { ...page, changes };
      cursor = page.nextCursor;
    }
  }

  const card = newCard('星屑の騎士');
  const item = { kind: 'card', cardId: card.id };
  const [siteId, unitId, boostId, purchaseId] = [newId(), newId(), newId(), newId()];
  let [clientId, otherAccess, code, access, refresh, cursor] = ['', '', '', '', '', ''];

  it('1. shop add', async () => {
    for (const slug of SLUGS) await run(['shop', 'add', '--slug', slug, '--name', slug]);
  });

  it('2. member add', async () => {
    const words = PERMISSIONS.flatMap((each) => ['--permission', each]);
    const args = ['member', 'add', '--shop', SLUG, '--email', PERSON.email, '--name', PERSON.name];
    await run([...args, ...words, '--password-stdin'], `${PERSON.password}\n`);
  });

  it('3. key add', async () => {
    assert.match(
      String((await run(['key', 'add', '--shop', SLUG, '--name', 'till']))['key']),
      /^csk_/,
    );
  });

  it('4. app add', async () => {
    const scope = 'offline_access inventory:read';
    const args = ['app', 'add', '--shop', SLUG, '--name', 'Mirror', '--scope', scope];
    const added = await run([...args, '--redirect-uri', 'https://app.example/callback']);
    clientId = String(added['clientId']);
  });

  it('5. shop list', async () => {
    for (const slug of SLUGS) await assertListed(['shop', 'list'], slug);
  });

  it('6. member list', async () => {
    await assertListed(['member', 'list', '--shop', SLUG], PERSON.email);
  });

  it('7. key list', async () => {
    await assertListed(['key', 'list', '--shop', SLUG], 'till');
  });

  it('8. app list', async () => {
    await assertListed(['app', 'list', '--shop', SLUG], clientId);
  });

  it('9. one person in two shops', async () => {
    const args = ['member', 'add', '--shop', OTHER_SLUG, '--email', PERSON.email];
    await run([...args, '--name', PERSON.name, '--permission', '']);
    await assertListed(['member', 'list', '--shop', OTHER_SLUG], PERSON.name);
  });

  it('10. token', async () => {
    const args = ['token', '--shop', SLUG, '--app', clientId, '--member', PERSON.email];
    otherAccess = String((await run([...args, '--scope', 'inventory:read']))['accessToken']);
    assert.equal((await app.call('GET', '/connection', otherAccess)).status, 200);
  });

  it('11. catalog import', async () => {
    await run(['catalog', 'import', '-'], JSON.stringify(card));
  });

  it('12. app disable', async () => {
    await run(['app', 'disable', '--app', clientId]);
    await waitUntil(async () => (await app.call('GET', '/connection', otherAccess)).status !== 200);
  });

  it('13. app enable', async () => {
    await run(['app', 'enable', '--app', clientId]);
    await waitUntil(async () => (await app.call('GET', '/connection', otherAccess)).status === 200);
  });

  it(`14. inventory import, ${SLUGS.length * UNITS} units of ${SLUGS.length} shops`, async () => {
    for (const slug of SLUGS) {
      const site = { kind: 'site', id: newId(), data: { ...PLACE, code: 'a', name: '店' } };
      const units = Array.from({ length: UNITS }, (_, n) => ({
        kind: 'unit',
        id: newId(),
        data: { siteId: site.id, item, priceMinor: n },
      }));
      const lines = [site, ...units].map((line) => JSON.stringify(line)).join('\n');
      const { accepted } = await run(['inventory', 'import', '--shop', slug, '-'], lines);
      assert.equal(accepted, UNITS + 1);
    }
  });

  it('15. PUT site', async () => {
    await put(`/sites/${siteId}`, { ...PLACE, code: 'main', name: '本店' });
  });

  it('16. PUT unit', async () => {
    await put(`/units/${unitId}`, { siteId, item, priceMinor: 1_200 });
  });

  it('17. POST status', async () => {
    await post(`/units/${unitId}/status`, { status: 'reserved' });
  });

  it(`18. POST batch of ${BATCH} units`, async () => {
    const lines = Array.from({ length: BATCH }, () =>
      JSON.stringify({ id: newId(), siteId, item }),
    );
    const answer = await callShop('POST', '/units/batch', lines.join('\n'));
    assert.equal(answer.status, 200, answer.text);
    assert.ok(answer.text.includes('"rejected":[]'), answer.text);
  });

  it('19. PUT photo', async () => {
    const picture = await makePlainImage(60, 80, 'png');
    await put(`/units/${unitId}/photos/front`, picture);
  });

  it('20. PUT boost', async () => {
    await put(`/boosts/${boostId}`, { target: item, priceMinor: 9_000, remainingQuantity: 10 });
  });

  it('21. POST purchase', async () => {
    await post(`/boosts/${boostId}/purchases`, { id: purchaseId, quantity: 2 });
    const { text } = await callShop('GET', `/boosts/${boostId}`);
    assert.ok(text.includes('"remainingQuantity":8'), text);
  });

  it('22. DELETE purchase', async () => {
    const answer = await callShop('DELETE', `/boosts/${boostId}/purchases/${purchaseId}`);
    assert.ok(answer.status < 300, answer.text);
    const { text } = await callShop('GET', `/boosts/${boostId}`);
    assert.ok(text.includes('"remainingQuantity":10'), text);
  });

  it('23. approval on the pages', async () => {
    code = await app.code();
  });

  it('24. code', async () => {
    const { body, text } = await app.exchange(code);
    [access, refresh] = [body.access_token ?? '', body.refresh_token ?? ''];
    assert.notEqual(refresh, '', text);
  });

  it('25. POST connection', async () => {
    assert.equal((await app.call('POST', '/connection', access)).status, 201);
  });

  it('26. GET connection', async () => {
    assert.equal((await app.call('GET', '/connection', access)).status, 200);
  });

  it('27. pause of a boost', async () => {
    assert.ok((await boostIds()).includes(boostId));
    await post(`/boosts/${boostId}/pause`);
    await waitUntil(async () => !(await boostIds()).includes(boostId));
  });

  it('28. resumption of a boost', async () => {
    await post(`/boosts/${boostId}/resume`);
    await waitUntil(async () => (await boostIds()).includes(boostId));
  });

  it('29. full sync', async () => {
    const { changes, nextCursor } = await readFeed('');
    const units = changes.filter(({ kind }) => kind === 'unit');
    // A reserved unit is in the feed too.
    assert.equal(new Set(units.map(({ id }) => id)).size, BATCH + 1);
    cursor = nextCursor;
  });

  it('30. feed after a write', async () => {
    await put(`/units/${unitId}`, { priceMinor: 1_300 }, 200);
    const page = await readFeed(cursor);
    assert.deepEqual(
      page.changes.map(({ id }) => id),
      [unitId],
    );
    cursor = page.nextCursor;
  });

  it('31. four concurrent refreshes with one key get one response', async () => {
    const answers = await race({ 'idempotency-key': 'k' });
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  });

  it('32. four concurrent refreshes without a key have one winner', async () => {
    const answers = await race({});
    const won = answers.filter(({ status }) => status === 200);
    assert.equal(new Set(won.map(({ text }) => text)).size, 1);
    for (const { status } of answers) assert.ok([200, 400].includes(status));
    assert.equal((await app.refresh(refresh)).status, 200);
  });

  async function race(headers: Readonly<Record<string, string>>): Promise<readonly TokenAnswer[]> {
    const used = refresh;
    const answers = await Promise.all(
      [1, 2, 3, 4].map(async () => await app.refresh(used, {}, headers)),
    );
    const { body } = answers.find(({ status }) => status === 200) ?? assert.fail(answers[0]?.text);
    [access, refresh] = [body.access_token ?? '', body.refresh_token ?? ''];
    return answers;
  }

  it('33. PUT webhook', async () => {
    const url = `${service.partnerUrl}/webhook`;
    const answer = await send(url, 'PUT', access, { url: receiver.url });
    assert.equal(answer.status, 200, answer.text);
  });

  it('34. event to a loopback receiver', async () => {
    await put(`/units/${unitId}`, { priceMinor: 1_400 }, 200);
    await waitUntil(() => receiver.received.length > 0);
    assert.ok(receiver.received[0]?.body.includes('"inventory.changed"'));
  });

  it('35. every page of the console', async () => {
    const { publicUrl: origin, consoleRoutes: routes } = service;
    const browser = new PlainBrowser(origin);
    const page = await browser.visit(`${origin}/signin`);
    const { email, password } = main;
    assert.equal(
      (await browser.submit(page, formTo(page, SIGN_IN), { email, password })).status,
      200,
    );
    const from = [`/console/shops/${main.shop.slug}`, '/console/account'];
    const { pages } = await crawlConsole(browser, { origin, routes, from });
    assert.ok(pages.length > CONSOLE_PAGES_MIN, String(pages.length));
  });

  it('36. DELETE connection', async () => {
    assert.equal((await app.call('DELETE', '/connection', otherAccess)).status, 204);
    assert.notEqual((await app.call('GET', '/connection', otherAccess)).status, 200);
  });

  it('37. app remove', async () => {
    await run(['app', 'remove', '--app', clientId, '--yes']);
    assert.deepEqual((await run(['app', 'list', '--shop', SLUG]))['apps'], []);
  });

  it('38. restored', async () => {
    await run(['restored', '--yes']);
    await waitUntil(async () => {
      const { status } = await app.call('GET', `/inventory/changes?cursor=${cursor}`, access);
      return status === 410;
    });
    ({ nextCursor: cursor } = await readFeed(''));
  });

  it('39. catalog import again, with another name', async () => {
    await run(['catalog', 'import', '-'], JSON.stringify({ ...card, name: '星屑の女王' }));
  });

  it('40. the name reaches the units', async () => {
    await waitUntil(async () =>
      (await callShop('GET', `/units/${unitId}`)).text.includes('星屑の女王'),
    );
  });

  it('41. the name reaches the feed', async () => {
    const renamed = new Set<string>();
    await waitUntil(async () => {
      const { changes, nextCursor } = await readFeed(cursor);
      cursor = nextCursor;
      for (const { id } of changes) renamed.add(id);
      return renamed.size === BATCH + 1;
    });
  });
});

async function send(url: string, method: string, key: string, body?: unknown): Promise<Answer> {
  const headers: Record<string, string> = { authorization: `Bearer ${key}` };
  if (body instanceof Buffer) headers['content-type'] = 'image/png';
  else if (typeof body === 'string') headers['content-type'] = 'application/x-ndjson';
  else if (body !== undefined) headers['content-type'] = 'application/json';
  const sent = typeof body === 'string' || body instanceof Buffer ? body : JSON.stringify(body);
  const response = await fetch(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body: new Uint8Array(Buffer.from(sent)) }),
  });
  return { status: response.status, text: await response.text() };
}
