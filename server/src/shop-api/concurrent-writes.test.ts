import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { newId } from '../base/secrets.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { statement } from '../database/statement.ts';
import {
  putPlace,
  seedCatalog,
  type TestShopApi,
  TEST_SITE,
  useShopApi,
} from '../../test/shop-api.ts';
import { canChangeStatus, UNIT_STATUSES, type UnitStatus } from '../inventory/unit-status.ts';

export const lockTestHead = statement(
  'lock_test_head',
  'select seq from feed_head where shop_id = $1 for update',
);

interface ModelUnit {
  readonly status: UnitStatus;
  readonly priceMinor: number | null;
  readonly certNumber: string | null;
}

/** One PUT. Omitted properties are undefined. */
interface Step {
  readonly unit: number;
  readonly status: UnitStatus | undefined;
  readonly priceMinor: number | null | undefined;
  readonly certNumber: string | null | undefined;
}

const step: fc.Arbitrary<Step> = fc.record({
  unit: fc.nat({ max: 2 }),
  status: fc.option(fc.constantFrom(...UNIT_STATUSES), { nil: undefined }),
  priceMinor: fc.option(fc.option(fc.integer({ min: 0, max: 1e12 })), { nil: undefined }),
  certNumber: fc.option(fc.option(fc.constantFrom('a', '札', '😀')), { nil: undefined }),
});

/**
 * Null clears a property, an omitted property keeps its value, and a forbidden transition changes
 * nothing.
 */
function applyStep(before: ModelUnit | undefined, given: Step): ModelUnit | null {
  const status = given.status ?? before?.status ?? 'in_stock';
  if (before !== undefined && !canChangeStatus(before.status, status)) return null;
  const { priceMinor = before?.priceMinor ?? null, certNumber = before?.certNumber ?? null } =
    given;
  return { status, priceMinor, certNumber };
}

function memberNames(body: Readonly<Record<string, unknown>>): ModelUnit {
  const { status, priceMinor, certNumber } = body;
  return { status, priceMinor, certNumber } as ModelUnit;
}

describe('writes of the Shop API', () => {
  const openShopApi = useShopApi();

  it('objects match a simple model after any sequence of PUTs, single and in batches', async () => {
    const shopApi = await openShopApi();
    const { cardId } = await seedCatalog(shopApi.db, shopApi.clock);
    const { siteId } = await putPlace(shopApi);
    const place = { siteId, item: { kind: 'card', cardId } };
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 15 }),
        fc.boolean(),
        async (steps, isBatch) => {
          const ids = [newId(), newId(), newId()];
          const model = new Map<number, ModelUnit>();
          const refused: number[] = [];
          const stamps: number[] = [];
          for (const [index, each] of steps.entries()) {
            const before = model.get(each.unit);
            const next = applyStep(before, each);
            if (next === null) refused.push(index + 1);
            else if (JSON.stringify(next) !== JSON.stringify(before)) stamps.push(each.unit);
            if (next !== null) model.set(each.unit, next);
          }
          const head = await shopApi.head();
          const bodies = steps.map(({ unit, ...members }) => ({ unit, ...place, ...members }));
          const sent = isBatch
            ? await sendAsBatch(shopApi, ids, bodies)
            : await sendAlone(shopApi, ids, bodies);
          assert.deepEqual(sent, refused);
          // A batch publishes one version of each unit.
          const versions = isBatch ? new Set(stamps).size : stamps.length;
          assert.equal(await shopApi.head(), head + versions);
          for (const [unit, expected] of model) {
            const { body } = await shopApi.call('GET', `/units/${ids[unit]}`);
            assert.deepEqual(memberNames(body), expected);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('objects are consistent when 16 writers change the same ids at the same time', async () => {
    const shopApi = await openShopApi();
    const { cardId, otherCardId } = await seedCatalog(shopApi.db, shopApi.clock);
    const { siteId } = await putPlace(shopApi);
    const ids = Array.from({ length: 8 }, () => newId());
    const head = await shopApi.head();
    // All values of a write derive from one number, so a mixture of two writes would be noticed.
    const writers = Array.from({ length: 16 }, async (_, writer) => {
      let stamps = 0;
      for (let round = 0; round < 6; round++) {
        const lines = ids
          .toSorted(() => Math.random() - 0.5)
          .slice(0, 5)
          .map((id) => {
            const tag = writer * 100 + round;
            const item = { kind: 'card', cardId: tag % 2 === 0 ? cardId : otherCardId };
            return { id, siteId, item, priceMinor: tag, costMinor: tag, certNumber: `c${tag}` };
          });
        const body = lines.map((line) => JSON.stringify(line)).join('\n');
        const headers = { 'content-type': 'application/x-ndjson' };
        const answer = await shopApi.call('POST', '/units/batch', { body, headers });
        assert.deepEqual(answer.body, { accepted: 5, rejected: [] }, answer.text);
        stamps += 5;
      }
      return stamps;
    });
    const stamps = (await Promise.all(writers)).reduce((sum, each) => sum + each, 0);
    assert.equal(await shopApi.head(), head + stamps);
    for (const id of ids) {
      const { body } = await shopApi.call('GET', `/units/${id}`);
      const tag = Number(body['priceMinor']);
      const item = body['item'] as { card: { id: string } };
      const expected = [tag, `c${tag}`, tag % 2 === 0 ? cardId : otherCardId];
      assert.deepEqual([body['costMinor'], body['certNumber'], item.card.id], expected);
    }
  });

  it('waiting writes of one shop use two database connections, and do not delay another shop', async () => {
    const shopApi = await openShopApi();
    const { siteId } = await putPlace(shopApi);
    const held = Promise.withResolvers<void>();
    const isHeld = Promise.withResolvers<void>();
    const holding = shopApi.db.transaction(async (tx) => {
      await tx.query(lockTestHead, [shopApi.shop.id]);
      isHeld.resolve();
      await held.promise;
    });
    await isHeld.promise;
    const writes = Array.from(
      { length: 30 },
      async (_, index) =>
        await shopApi.call('PUT', `/sites/${siteId}`, { body: { name: `name ${index}` } }),
    );
    const busy = (): number => {
      const { clients, idle, waiting } = shopApi.db.poolState();
      return clients - idle + waiting;
    };
    let status = 0;
    try {
      await waitUntil(() => busy() >= 3);
      const call = { body: TEST_SITE, key: shopApi.otherKey };
      status = (await shopApi.call('PUT', `/sites/${newId()}`, call)).status;
      // One transaction holds the row, and two wait for it. Recording a key's use briefly takes
      // another connection.
      await waitUntil(() => busy() === 3);
    } finally {
      held.resolve();
      await holding;
    }
    assert.equal(status, 201);
    for (const answer of await Promise.all(writes)) assert.equal(answer.status, 200);
  });

  it('one object is created when 16 writers create it at the same time', async () => {
    const shopApi = await openShopApi();
    const { cardId } = await seedCatalog(shopApi.db, shopApi.clock);
    const { siteId } = await putPlace(shopApi);
    const id = newId();
    const head = await shopApi.head();
    const body = { siteId, item: { kind: 'card', cardId } };
    const put = async (): Promise<number> =>
      (await shopApi.call('PUT', `/units/${id}`, { body })).status;
    const statuses = await Promise.all(Array.from({ length: 16 }, put));
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [...Array<number>(15).fill(200), 201],
    );
    assert.equal(await shopApi.head(), head + 1);
  });
});

type Body = Readonly<Record<string, unknown>> & { readonly unit: number };

async function sendAlone(
  shopApi: TestShopApi,
  ids: readonly string[],
  bodies: readonly Body[],
): Promise<number[]> {
  const refused: number[] = [];
  for (const [index, { unit, ...body }] of bodies.entries()) {
    const answer = await shopApi.call('PUT', `/units/${ids[unit]}`, { body });
    if (answer.status === 409) refused.push(index + 1);
    else assert.ok(answer.status === 200 || answer.status === 201, answer.text);
  }
  return refused;
}

async function sendAsBatch(
  shopApi: TestShopApi,
  ids: readonly string[],
  bodies: readonly Body[],
): Promise<number[]> {
  const lines = bodies.map(({ unit, ...body }) => JSON.stringify({ id: ids[unit], ...body }));
  const headers = { 'content-type': 'application/x-ndjson' };
  const answer = await shopApi.call('POST', '/units/batch', { body: lines.join('\n'), headers });
  assert.equal(answer.status, 200, answer.text);
  return (answer.body['rejected'] as readonly { line: number }[]).map((each) => each.line);
}
