import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type BoostConsole, startBoostConsole } from '../../../test/boost-console.ts';
import { assertSays, says } from '../../../test/console-pages.ts';
import { formTo } from '../../../test/plain-browser.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { newId } from '../../base/secrets.ts';
import { type BoostCursor, type BrowsedPage, browsePast } from '../../boosts/browse-boosts.ts';
import { statement } from '../../database/statement.ts';
import { boostStateMessages } from '../parts/messages/catalog.ts';
import { boostListMessages } from './messages/boost.ts';
import { boostEditMessages, boostFormMessages } from './messages/form.ts';

const HOUR_MS = 3_600_000;

/** Adds `$3` boosts that never end, with prices from 1 to `$3` yen. */
const insertMany = statement(
  'test_many_boosts',
  `insert into boost (shop_id, boost_id, card_id, price_minor, currency, is_paused, created_at, updated_at)
  select $1, gen_random_uuid(), $2, price, 'JPY', false, now(), now()
  from generate_series(1, $3::int) as price`,
);

describe('the list of buy boosts', () => {
  let base: TestDatabase;
  let scene: BoostConsole;
  before(async () => {
    base = await openTestDatabase();
    scene = await startBoostConsole(base);
    const { cardId, otherCardId, productId } = scene.catalog;
    const card = { kind: 'card', cardId };
    const other = { kind: 'card', cardId: otherCardId };
    const at = (hours: number): string =>
      new Date(scene.clock.now().getTime() + hours * HOUR_MS).toISOString();
    const boosts = [
      { target: card, priceMinor: 11, endsAt: at(3) },
      { target: other, priceMinor: 12, note: '状態 A のみ' },
      { target: { kind: 'product', productId }, priceMinor: 13, remainingQuantity: 0 },
      { target: card, priceMinor: 14, startsAt: at(1), endsAt: at(2) },
      { target: card, priceMinor: 15 },
      { target: card, priceMinor: 16, endsAt: at(-1) },
      { target: other, priceMinor: 17, endsAt: at(-2), note: 'old' },
      { target: other, priceMinor: 18 },
      { target: card, priceMinor: 19 },
    ];
    const ids: string[] = [];
    for (const boost of boosts) {
      const id = newId();
      ids.push(id);
      await scene.till('PUT', `/boosts/${id}`, boost);
    }
    await scene.till('POST', `/boosts/${ids[4]}/pause`);
    await scene.till('POST', `/boosts/${ids[7]}/end`);
    scene.clock.advance(1_000);
    await scene.till('POST', `/boosts/${ids[8]}/end`);
  });
  after(async () => {
    await scene[Symbol.asyncDispose]();
    await base.close();
  });

  /** Returns the prices in a page's rows. Each boost has a different price, which identifies it. */
  async function prices(query: string): Promise<readonly number[]> {
    const { status, text } = await scene.visit(`/boosts${query}`);
    assert.equal(status, 200);
    const cell = new RegExp(`data-label="${boostListMessages.en.price}">[^<\\d]*([\\d,]+)`, 'g');
    return [...text.matchAll(cell)].map(([, price = '']) => Number(price.replaceAll(',', '')));
  }

  for (const [query, expected] of [
    ['', [15, 14, 13, 12, 11]],
    ['?sort=end', [14, 11]],
    ['?state=open', [12, 11]],
    ['?state=filled', [13]],
    ['?state=scheduled', [14]],
    ['?state=paused', [15]],
    // The boost that ended last comes first.
    ['?state=expired', [16, 17]],
    ['?state=ended', [19, 18]],
    ['?q=アルバ', [15, 14, 11]],
    ['?q=alba', []],
    ['?q=もう', [12]],
    ['?q=ほしふる', []],
    ['?q=星降るbox', [13]],
    ['?q=状態 ａ', [12]],
    ['?q=もう&state=ended', [18]],
    ['?q=アルバ&state=expired', [16]],
    ['?q=OLD&state=expired', [17]],
    ['?q=%25&state=expired', []],
    ['?state=nonsense&sort=nonsense&after=nonsense', [15, 14, 13, 12, 11]],
  ] as const) {
    it(
      query === '' ? 'shows current boosts, highest price first' : `filters and sorts by ${query}`,
      async () => {
        const found = await prices(query);
        // Boosts without an end come last, ordered by id.
        assert.deepEqual(query === '?sort=end' ? found.slice(0, 2) : found, expected);
      },
    );
  }

  it('the list answers 200 for every position in the query', async () => {
    const id = newId();
    for (const value of ['Infinity', '999999999999999', '0']) {
      for (const query of ['', 'sort=end&', 'state=expired&', 'state=ended&']) {
        const { status } = await scene.visit(`/boosts?${query}after=${value}.${id}`);
        assert.equal(status, 200, `${query} ${value}`);
      }
    }
  });

  it('the list searches a limited number of past boosts per page, and the next page continues after them', async () => {
    const { id: shopId } = scene.seeded.shop;
    const text = { cardIds: [], productIds: [], note: 'OLD' };
    const now = scene.clock.now();
    const look = async (lookedAtMax: number, after: BoostCursor | null): Promise<BrowsedPage> =>
      await browsePast(
        base.db,
        shopId,
        { status: 'expired', text },
        { after, limit: 5 },
        now,
        lookedAtMax,
      );
    // The older of the two boosts has the note.
    const first = await look(1, null);
    assert.deepEqual([first.rows.length, first.isShort], [0, true]);
    const second = await look(1, first.next);
    assert.deepEqual(
      second.rows.map((row) => row.priceMinor),
      [17],
    );
    const end = await look(1, second.next);
    assert.deepEqual([end.rows.length, end.isShort, end.next], [0, false, null]);
    const whole = await look(3, null);
    assert.deepEqual([whole.rows.length, whole.isShort, whole.next], [1, false, null]);
    const ended = await browsePast(
      base.db,
      shopId,
      { status: 'ended', text },
      { after: null, limit: 5 },
      now,
      2,
    );
    assert.deepEqual([ended.rows.length, ended.isShort], [0, true]);
  });

  it('the list describes each boost in both languages, and says if no boost matches', async () => {
    const page = await scene.visit('/boosts?state=scheduled');
    assert.ok(
      page.text.includes(`<span class="badge calm">${boostStateMessages.en.scheduled}</span>`),
    );
    assertSays(page, boostFormMessages.en.anyGrade);
    const japanese = await scene.memberWith(['purchases.read', 'purchases.write'], 'ja');
    const shown = await scene.visit('/boosts?state=paused', japanese);
    assert.ok(
      shown.text.includes(`<span class="badge warn">${boostStateMessages.ja.paused}</span>`),
    );
    assertSays(shown, boostFormMessages.ja.anyGrade);
    assertSays(await scene.visit('/boosts?q=zzzz'), boostListMessages.en.noneTitle);
  });

  it('every boost is on exactly one page, including past boosts', async () => {
    const { id } = scene.seeded.shop;
    await base.db.query(insertMany, [id, scene.catalog.cardId, 120]);
    const readPages = async (query: string): Promise<number[]> => {
      const found: number[] = [];
      let next: string | null = query;
      for (let pages = 0; next !== null && pages < 6; pages += 1) {
        const { text } = await scene.visit(`/boosts${next}`);
        const rows = [...text.matchAll(/\/boosts\/([0-9a-f-]{36})">/g)].length;
        found.push(rows);
        const href = /rel="next" href="[^"?]*([^"]*)"/.exec(text)?.[1] ?? null;
        next = href?.replaceAll('&amp;', '&') ?? null;
      }
      return found;
    };
    assert.deepEqual(await readPages(''), [50, 50, 25]);
    assert.deepEqual(await readPages('?sort=end'), [50, 50, 25]);
    const end = statement(
      'test_end_all',
      `update boost set ended_at = $2 where shop_id = $1 and updated_at > $2`,
    );
    await base.db.query(end, [id, scene.clock.now()]);
    assert.deepEqual(await readPages('?state=ended'), [50, 50, 22]);
    const open = statement(
      'test_open_all',
      `update boost set ended_at = null, ends_at = $2 where shop_id = $1 and ended_at = $2`,
    );
    await base.db.query(open, [id, scene.clock.now()]);
    assert.deepEqual((await readPages('?state=expired')).slice(0, 2), [50, 50]);
  });

  it('the list warns from 1,800 live boosts on, and more than 2,000 are rejected', async () => {
    const { id } = scene.seeded.shop;
    const room = (live: string): string => boostListMessages.en.near(live, '2,000');
    assert.equal(says(await scene.visit('/boosts'), room('4')), false);
    await base.db.query(insertMany, [id, scene.catalog.cardId, 1_795]);
    assertSays(await scene.visit('/boosts'), room('1,800'));
    await base.db.query(insertMany, [id, scene.catalog.cardId, 200]);
    const page = await scene.visit('/boosts/new');
    const form = formTo(page, '/boosts/new');
    const given = { card: scene.catalog.cardId, price: '1' };
    const refused = await scene.owner.submit(page, form, given);
    assert.equal(refused.status, 422);
    assertSays(refused, boostEditMessages.en.full);
  });
});
