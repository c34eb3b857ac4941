import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { ManualClock } from '../base/clock.ts';
import type { NdjsonLine } from '../import/ndjson.ts';
import { newId } from '../base/secrets.ts';
import { importCatalog } from '../catalog/import-catalog.ts';
import {
  type BoostNode,
  type Buyer,
  seedBuyer,
  seedBuyersCatalog,
  type ShownBoost,
  startBoostNode,
} from '../../test/boost-node.ts';
import { TEST_NOW } from '../../test/partner.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';

/** The clock only goes forward. All boosts are written in the minute before this instant. */
const START_MS = TEST_NOW.getTime() + 60_000;
const END_MS = START_MS + 60_000;
/** spec 3.2: each edge, and one millisecond before and after it. */
const INSTANTS_MS = [START_MS, END_MS].flatMap((ms) => [ms - 1, ms, ms + 1]);

const QUERIES = ['', '?include=open', '?include=filled'];

/** Everything that decides whether a boost is listed. */
interface Case {
  readonly id: string;
  readonly priceMinor: number;
  readonly remainingQuantity: number | null;
  readonly isPaused: boolean;
  readonly isEnded: boolean;
  readonly startsAt: number | null;
  readonly endsAt: number | null;
}

/**
 * Returns every combination of a remaining quantity (no limit, some, none), paused or not, ended or
 * not, with or without a start, and with or without an end.
 */
function makeCases(): Case[] {
  const cases: Case[] = [];
  for (const remainingQuantity of [null, 3, 0]) {
    for (const isPaused of [false, true]) {
      for (const isEnded of [false, true]) {
        for (const startsAt of [null, START_MS]) {
          for (const endsAt of [null, END_MS]) {
            // Use only three prices, so that many boosts have the same price and are sorted by
            // change time and id.
            const priceMinor = 100 * (cases.length % 3);
            const id = newId();
            cases.push({ id, priceMinor, remainingQuantity, isPaused, isEnded, startsAt, endsAt });
          }
        }
      }
    }
  }
  return cases;
}

/** Returns the first state of decision 0070 whose condition holds. */
function stateOf(each: Case, nowMs: number): string {
  if (each.isEnded) return 'ended';
  if (each.endsAt !== null && nowMs >= each.endsAt) return 'expired';
  if (each.startsAt !== null && nowMs < each.startsAt) return 'scheduled';
  if (each.isPaused) return 'paused';
  return each.remainingQuantity === 0 ? 'filled' : 'open';
}

/** Writes a case through the Shop API. Returns the time of its last change. */
async function write(
  node: BoostNode,
  buyer: Buyer,
  clock: ManualClock,
  { id, startsAt, endsAt, ...each }: Case,
  cardId: string,
): Promise<number> {
  const { priceMinor, remainingQuantity } = each;
  const times = {
    startsAt: startsAt === null ? null : new Date(startsAt),
    endsAt: endsAt === null ? null : new Date(endsAt),
  };
  const body = { target: { kind: 'card', cardId }, priceMinor, remainingQuantity, ...times };
  assert.equal((await node.write(buyer, 'PUT', `/boosts/${id}`, body)).status, 201);
  for (const move of [...(each.isPaused ? ['pause'] : []), ...(each.isEnded ? ['end'] : [])]) {
    assert.equal((await node.write(buyer, 'POST', `/boosts/${id}/${move}`)).status, 200);
  }
  return clock.now().getTime();
}

function idsAndStates(boosts: readonly ShownBoost[]): string[] {
  return boosts.map(({ id, status }) => `${id} ${status}`);
}

/** Sorts by highest price first, then by newest change, then by id. */
function sorted(cases: readonly Case[], updatedAtMs: ReadonlyMap<string, number>): Case[] {
  const updated = (each: Case): number => updatedAtMs.get(each.id) ?? 0;
  return cases.toSorted(
    (a, b) => b.priceMinor - a.priceMinor || updated(b) - updated(a) || (a.id < b.id ? -1 : 1),
  );
}

describe('GET /purchase-boosts on two nodes (3.2, 4.4)', () => {
  // Each test has its own shop. Only the first test needs the clock's start time.
  const clock = new ManualClock(TEST_NOW);
  let base: TestDatabase;
  let a: BoostNode;
  let b: BoostNode;
  let cardId: string;
  let otherCardId: string;
  before(async () => {
    base = await openTestDatabase();
    [a, b] = [await startBoostNode(base, clock), await startBoostNode(base, clock)];
    ({ cardId, otherCardId } = await seedBuyersCatalog(base.db));
  });
  after(async () => {
    await a[Symbol.asyncDispose]();
    await b[Symbol.asyncDispose]();
    await base.close();
  });

  it('both nodes list exactly the right boosts one millisecond before, at and after startsAt and endsAt', async () => {
    const buyer = await seedBuyer(a);
    const cases = makeCases();
    const updatedAtMs = new Map<string, number>();
    // Fill the caches of both nodes with empty lists. The clock stands still, so only a
    // notification can remove the lists.
    for (const node of [a, b]) {
      for (const query of QUERIES) assert.deepEqual(await node.list(buyer, query), []);
    }
    for (const [index, each] of cases.entries()) {
      updatedAtMs.set(each.id, await write(a, buyer, clock, each, cardId));
      if (index % 5 === 4) clock.advance(1);
    }
    const expect = (query: string): string[] => {
      const nowMs = clock.now().getTime();
      const states = query === '?include=filled' ? ['open', 'filled'] : ['open'];
      const listed = cases.filter((each) => states.includes(stateOf(each, nowMs)));
      return sorted(listed, updatedAtMs).map((each) => `${each.id} ${stateOf(each, nowMs)}`);
    };
    // Node B shows the changes of node A once it has received the notification.
    const isShown = async (query: string): Promise<boolean> =>
      isDeepStrictEqual(idsAndStates(await b.list(buyer, query)), expect(query));
    for (const query of QUERIES) await waitUntil(async () => await isShown(query));
    const lengths = new Set<number>();
    for (const instantMs of [clock.now().getTime(), ...INSTANTS_MS]) {
      clock.advance(instantMs - clock.now().getTime());
      for (const node of [a, b]) {
        for (const query of QUERIES) {
          const shown = await node.list(buyer, query);
          assert.deepEqual(idsAndStates(shown), expect(query), `${instantMs} ${query}`);
          lengths.add(shown.length);
        }
        const { boosts }: { boosts: ShownBoost[] } = JSON.parse(
          (await node.write(buyer, 'GET', '/boosts?limit=1000')).text,
        );
        const states = new Map(boosts.map(({ id, status }) => [id, status]));
        for (const each of cases) assert.equal(states.get(each.id), stateOf(each, instantMs));
      }
    }
    // There are 8 open and 4 filled boosts between start and end, and half as many before and
    // after.
    assert.deepEqual(
      [...lengths].toSorted((x, y) => x - y),
      [4, 6, 8, 12],
    );
  });

  it('a node never returns an older list than before while another node writes', async () => {
    const buyer = await seedBuyer(a);
    const id = newId();
    const target = { kind: 'card', cardId };
    await a.write(buyer, 'PUT', `/boosts/${id}`, { target, priceMinor: 0 });
    let newest = -1;
    const look = async (): Promise<number> => {
      const [shown] = await b.list(buyer);
      const price = shown?.priceMinor ?? -1;
      assert.ok(price >= newest, `${price} after ${newest}`);
      newest = price;
      return price;
    };
    await waitUntil(async () => (await look()) === 0);
    for (let price = 1; price <= 40; price++) {
      const written = a.write(buyer, 'PUT', `/boosts/${id}`, { priceMinor: price });
      await look();
      assert.equal((await written).status, 200);
      assert.equal((await a.list(buyer))[0]?.priceMinor, price, 'the writing node at once');
      await waitUntil(async () => (await look()) === price);
      assert.ok(newest <= price);
    }
    await a.write(buyer, 'POST', `/boosts/${id}/pause`);
    await waitUntil(async () => (await b.list(buyer)).length === 0);
    await a.write(buyer, 'POST', `/boosts/${id}/resume`);
    await waitUntil(async () => (await b.list(buyer)).length === 1);
    await b.write(buyer, 'POST', `/boosts/${id}/end`);
    assert.deepEqual(await b.list(buyer), []);
    await waitUntil(async () => (await a.list(buyer)).length === 0);
  });

  it('exactly 10 of 16 concurrent purchases on a boost with 10 left are counted, and the boost is listed as filled', async () => {
    const buyer = await seedBuyer(a);
    const id = newId();
    const body = { target: { kind: 'card', cardId }, priceMinor: 5, remainingQuantity: 10 };
    await a.write(buyer, 'PUT', `/boosts/${id}`, body);
    await waitUntil(async () => (await b.list(buyer)).length === 1);
    const answers = await Promise.all(
      Array.from({ length: 16 }, async (_, n) => {
        const purchase = { id: newId(), quantity: 1 };
        return await (n % 2 === 0 ? a : b).write(
          buyer,
          'POST',
          `/boosts/${id}/purchases`,
          purchase,
        );
      }),
    );
    const statuses = answers.map(({ status }) => status).toSorted((x, y) => x - y);
    assert.deepEqual(statuses, [...Array(10).fill(201), ...Array(6).fill(409)]);
    const left = answers
      .filter(({ status }) => status === 201)
      .map(({ text }): number => JSON.parse(text).remainingQuantity);
    assert.deepEqual(
      left.toSorted((x, y) => x - y),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
      'each took one',
    );
    for (const node of [a, b]) {
      await waitUntil(async () => (await node.list(buyer)).length === 0);
      const [filled] = await node.list(buyer, '?include=filled');
      assert.deepEqual([filled?.status, filled?.remainingQuantity], ['filled', 0]);
    }
  });

  it('a boost shows a renamed card and grade, and still shows an inactive card', async () => {
    const buyer = await seedBuyer(a);
    const [id, gradeId] = [newId(), newId()];
    const grade = { code: 'A', label: '美品', serviceCode: 'shop', serviceName: '当店' };
    await a.write(buyer, 'PUT', `/grades/${gradeId}`, grade);
    const target = { kind: 'card', cardId: otherCardId, gradeId };
    await a.write(buyer, 'PUT', `/boosts/${id}`, { target, priceMinor: 1 });
    const shows = async (node: BoostNode, name: string, label: string): Promise<boolean> => {
      const [boost] = await node.list(buyer);
      return boost?.target.card?.name === name && boost.target.grade?.label === label;
    };
    for (const node of [a, b]) await waitUntil(async () => await shows(node, '砂の王', '美品'));
    await a.write(buyer, 'PUT', `/grades/${gradeId}`, { label: '極美品' });
    assert.ok(await shows(a, '砂の王', '極美品'));
    await waitUntil(async () => await shows(b, '砂の王', '極美品'));
    const game = { id: newId(), code: 'skyfall', name: '空のかけら' };
    const card = { id: otherCardId, name: '砂の女王', languageCode: 'ja', game, isActive: false };
    await importCard(b, clock, card);
    assert.ok(await shows(b, '砂の女王', '極美品'));
    await waitUntil(async () => await shows(a, '砂の女王', '極美品'));
  });
});

async function importCard(node: BoostNode, clock: ManualClock, value: object): Promise<void> {
  async function* lines(): AsyncGenerator<NdjsonLine> {
    yield { kind: 'value', number: 1, value };
  }
  assert.equal((await importCatalog(node.db, lines(), { clock })).accepted, 1);
}
