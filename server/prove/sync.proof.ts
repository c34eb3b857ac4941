import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importCatalog } from '../src/catalog/import-catalog.ts';
import type { Card } from '../src/catalog/card.ts';
import { readCards } from '../src/catalog/read-entries.ts';
import { systemClock } from '../src/base/clock.ts';
import { newId } from '../src/base/secrets.ts';
import type { Database } from '../src/database/database.ts';
import { statement } from '../src/database/statement.ts';
import { hasUnrenderedChanges, rerenderUnits } from '../src/inventory/rerender-units.ts';
import { issueTokens } from '../src/oauth/issue-tokens.ts';
import { openTestDatabase } from '../test/test-database.ts';
import { waitUntil } from '../test/wait-until.ts';
import { type SeededShop, seedShop, startTestService, type TestService } from '../test/service.ts';

const IS_FULL = process.env['PROVE_FULL'] === '1';
/** The number of units in stock before the readers begin. */
const UNITS = IS_FULL ? 100_000 : 10_000;
const WRITERS = 16;
const READERS = 4;
/** The number of requests that one writer sends while the readers follow. */
const ROUNDS = IS_FULL ? 150 : 30;
const CARDS = 200;
/** The number of imports that rename some cards, and thereby change the units of these cards. */
const RENAMES = 3;
const CARDS_RENAMED = 20;
const BATCH_LINES = 10_000;

/** Selects a unit's columns, not its rendered record, to compare them with the readers' objects. */
const selectUnits = statement<Readonly<Record<string, unknown>> & { id: string; cardId: string }>(
  'prove_select_units',
  `select unit_id as id, status, site_id as "siteId", location_id as "locationId",
    card_id as "cardId", cert_number as "certNumber", serial_number as "serialNumber", ownership,
    price_minor as "priceMinor", currency, acquired_at as "acquiredAt",
    status_changed_at as "statusChangedAt", created_at as "createdAt", updated_at as "updatedAt",
    cost_minor as "costMinor"
  from unit where shop_id = $1`,
);
const selectLocations = statement<
  Readonly<Record<string, unknown>> & { id: string; siteId: string }
>(
  'prove_select_locations',
  `select location_id as id, site_id as "siteId", code, name, kind, is_active as "isActive",
    created_at as "createdAt", updated_at as "updatedAt"
  from location where shop_id = $1 order by code, location_id`,
);
const selectSites = statement<Readonly<Record<string, unknown>> & { id: string }>(
  'prove_select_sites',
  `select site_id as id, code, name, kind, country_code as "countryCode", timezone,
    is_active as "isActive", created_at as "createdAt", updated_at as "updatedAt"
  from site where shop_id = $1`,
);

interface Stock {
  readonly seed: SeededShop;
  readonly siteIds: readonly string[];
  readonly locationIds: readonly string[];
  readonly cardIds: readonly string[];
  readonly unitIds: readonly string[];
}

describe('a reader of the change feed over HTTP (4.6)', () => {
  it(
    `a reader syncs ${UNITS} units, follows ${WRITERS} writers, and matches the database object by object`,
    { timeout: 1_200_000 },
    async (t) => {
      await using base = await openTestDatabase();
      await using service = await startTestService(base);
      const began = performance.now();
      const stock = await fillShop(service, UNITS);
      t.diagnostic(`${UNITS} units written in ${since(began)}`);
      const tokens = await Promise.all(
        Array.from({ length: READERS }, async () => await accessToken(service, stock.seed)),
      );
      const readers = tokens.map((token) => new FeedReader(service, token));
      // The first reader reads everything before the writing begins. All other readers begin during
      // the writing.
      const synced = performance.now();
      await readers[0]?.readToEnd();
      t.diagnostic(`read by one reader in ${since(synced)}`);
      const state = { isWriting: true };
      const following = readers.map(async (reader) => {
        while (state.isWriting) await reader.readPage(1 + Math.floor(Math.random() * 1_000));
      });
      const wrote = performance.now();
      const writing = Array.from(
        { length: WRITERS },
        async () => await writeRounds(service, stock),
      );
      const changes = await Promise.all([...writing, renameCards(service, stock)]).finally(() => {
        state.isWriting = false;
      });
      // The service applies catalog changes to units every few seconds. Wait for the final state.
      await waitUntil(async () => {
        await rerenderUnits(service.db, systemClock);
        return (await service.db.one(hasUnrenderedChanges))?.isBehind === false;
      }, 60_000);
      const sum = changes.reduce((total, each) => total + each, 0);
      t.diagnostic(`${sum} changes by ${WRITERS} writers in ${since(wrote)}`);
      await Promise.all(following);
      const truth = await readTruth(service.db, stock.seed.shop.id);
      for (const reader of readers) {
        await reader.readToEnd();
        const found = compare(reader.held, truth);
        assert.deepEqual(found, { missing: [], foreign: [], different: [] });
        t.diagnostic(`a reader holds all ${truth.size} objects after ${reader.pages} pages`);
      }
    },
  );
});

function since(began: number): string {
  return `${((performance.now() - began) / 1_000).toFixed(1)} s`;
}

/** Creates a shop with its stock through the Shop API. */
async function fillShop(service: TestService, count: number): Promise<Stock> {
  const seed = await seedShop(service, { sharesCost: true });
  const cardIds = await seedCards(service.db);
  const siteIds = [newId(), newId(), newId()];
  const locationIds = Array.from({ length: 12 }, () => newId());
  const place = { kind: 'store', countryCode: 'JP', timezone: 'Asia/Tokyo' };
  for (const [n, id] of siteIds.entries()) {
    await send(service, seed, 'PUT', `/sites/${id}`, { code: `S${n}`, name: `店${n}`, ...place });
  }
  for (const [n, id] of locationIds.entries()) {
    const siteId = siteIds[n % siteIds.length];
    const location = { siteId, code: `L${n}`, name: `棚${n}`, kind: 'shelf' };
    await send(service, seed, 'PUT', `/locations/${id}`, location);
  }
  const unitIds = Array.from({ length: count }, () => newId());
  const stock = { seed, siteIds, locationIds, cardIds, unitIds };
  for (let from = 0; from < count; from += BATCH_LINES) {
    const lines = unitIds.slice(from, from + BATCH_LINES).map((id) => newUnit(stock, id));
    await sendBatch(service, seed, lines);
  }
  return stock;
}

async function seedCards(db: Database): Promise<string[]> {
  const ids = Array.from({ length: CARDS }, () => newId());
  await importCards(db, ids, '"引用" \\');
  return ids;
}

const GAME = { id: newId(), code: 'skyfall', name: '空のかけら' };

async function importCards(db: Database, ids: readonly string[], name: string): Promise<void> {
  async function* lines(): AsyncGenerator<{ kind: 'value'; number: number; value: unknown }> {
    for (const [n, id] of ids.entries()) {
      const localizedNames = { en: `Card ${n}` };
      const value = { id, name: `${name} ${n}`, localizedNames, languageCode: 'ja', game: GAME };
      yield { kind: 'value', number: n + 1, value };
    }
  }
  const result = await importCatalog(db, lines(), { clock: systemClock });
  assert.equal(result.accepted, ids.length);
}

/** Renames cards during the run, which changes every unit of these cards. */
async function renameCards(service: TestService, stock: Stock): Promise<number> {
  for (let round = 0; round < RENAMES; round++) {
    await importCards(service.db, stock.cardIds.slice(0, CARDS_RENAMED), `改 ${round}`);
    await rerenderUnits(service.db, systemClock);
  }
  return 0;
}

function newUnit(stock: Stock, id: string): Readonly<Record<string, unknown>> {
  const n = Math.floor(Math.random() * stock.locationIds.length);
  return {
    id,
    siteId: stock.siteIds[n % stock.siteIds.length],
    locationId: stock.locationIds[n],
    item: { kind: 'card', cardId: oneOf(stock.cardIds) },
    priceMinor: Math.floor(Math.random() * 100_000),
    costMinor: Math.random() < 0.5 ? null : Math.floor(Math.random() * 50_000),
    serialNumber: Math.random() < 0.1 ? '025/100' : null,
    acquiredAt: Math.random() < 0.5 ? '2026-01-31T23:30:00+09:00' : null,
  };
}

function oneOf<T>(values: readonly T[]): T {
  const value = values[Math.floor(Math.random() * values.length)];
  assert.ok(value !== undefined);
  return value;
}

/**
 * Sends typical writes of a shop's systems: prices, sales, new units, batches, locations. Returns
 * the number of requested changes.
 */
async function writeRounds(service: TestService, stock: Stock): Promise<number> {
  const { seed } = stock;
  let changes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const dice = Math.random();
    const id = oneOf(stock.unitIds);
    if (dice < 0.4) {
      const priceMinor = Math.floor(Math.random() * 100_000);
      await send(service, seed, 'PUT', `/units/${id}`, { priceMinor });
      changes += 1;
    } else if (dice < 0.6) {
      const status = oneOf(['sold', 'in_stock', 'reserved']);
      await send(service, seed, 'POST', `/units/${id}/status`, { status });
      changes += 1;
    } else if (dice < 0.7) {
      const { id: _, ...unit } = newUnit(stock, id);
      await send(service, seed, 'PUT', `/units/${newId()}`, unit);
      changes += 1;
    } else if (dice < 0.95) {
      const lines = Array.from({ length: 40 }, () => ({
        id: oneOf(stock.unitIds),
        certNumber: String(Math.floor(Math.random() * 1e8)),
      }));
      await sendBatch(service, seed, lines);
      changes += lines.length;
    } else {
      const name = `棚 ${Math.floor(Math.random() * 1e6)}`;
      await send(service, seed, 'PUT', `/locations/${oneOf(stock.locationIds)}`, { name });
      changes += 2;
    }
  }
  return changes;
}

/** Writes through the Shop API. A forbidden transition (409) is a valid response. */
async function send(
  service: TestService,
  seed: SeededShop,
  method: string,
  path: string,
  body: unknown,
): Promise<void> {
  const response = await fetch(`${service.url}/shop/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${seed.shopKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.ok([200, 201, 409].includes(response.status), `${method} ${path}: ${text}`);
}

async function sendBatch(
  service: TestService,
  seed: SeededShop,
  lines: readonly object[],
): Promise<void> {
  const response = await fetch(`${service.url}/shop/v1/units/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${seed.shopKey}`, 'content-type': 'application/x-ndjson' },
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
  });
  assert.deepEqual(await response.json(), { accepted: lines.length, rejected: [] });
}

async function accessToken(service: TestService, seed: SeededShop): Promise<string> {
  const result = await issueTokens(service.context, {
    shopId: seed.shop.id,
    clientId: seed.app.clientId,
    accountId: seed.member.account.id,
    scopes: ['inventory:read'],
  });
  if (result.kind !== 'issued') throw new Error(result.reason);
  return result.accessToken;
}

type Held = Map<string, Readonly<Record<string, unknown>>>;

interface FeedAnswer {
  readonly changes: readonly {
    readonly kind: string;
    readonly id: string;
    readonly data: Readonly<Record<string, unknown>>;
  }[];
  readonly nextCursor: string;
  readonly hasMore: boolean;
}

/** A reader that follows only the specification: it upserts by id. */
class FeedReader {
  readonly held: Held = new Map();
  pages = 0;
  readonly #service: TestService;
  readonly #token: string;
  #cursor: string | null = null;

  constructor(service: TestService, token: string) {
    this.#service = service;
    this.#token = token;
  }

  /** Reads one page. Returns whether there are more pages. */
  async readPage(limit: number): Promise<boolean> {
    const query = new URLSearchParams({ limit: String(limit) });
    if (this.#cursor !== null) query.set('cursor', this.#cursor);
    const response = await fetch(
      `${this.#service.url}/partner/v1/inventory/changes?${query.toString()}`,
      {
        headers: { authorization: `Bearer ${this.#token}` },
      },
    );
    assert.equal(response.status, 200);
    const page = (await response.json()) as FeedAnswer;
    assert.ok(page.changes.length <= limit);
    for (const { kind, id, data } of page.changes) {
      assert.equal(data['id'], id);
      this.held.set(`${kind} ${id}`, data);
    }
    this.#cursor = page.nextCursor;
    this.pages += 1;
    return page.hasMore;
  }

  async readToEnd(): Promise<void> {
    while (await this.readPage(1_000));
  }
}

/** Builds every object from its columns, in the same form as in the feed. */
async function readTruth(db: Database, shopId: string): Promise<Held> {
  const truth: Held = new Map();
  const locations = (await db.query(selectLocations, [shopId])).map(withDates);
  for (const location of locations) truth.set(`location ${String(location['id'])}`, location);
  for (const site of await db.query(selectSites, [shopId])) {
    const own = locations.filter((location) => location['siteId'] === site.id);
    truth.set(`site ${site.id}`, { ...withDates(site), locations: own });
  }
  const units = await db.query(selectUnits, [shopId]);
  const cards = await readCards(db, [...new Set(units.map((unit) => unit.cardId))]);
  for (const { cardId, ...unit } of units) {
    const card: Card | undefined = cards.get(cardId);
    const item = { kind: 'card', card, grade: null };
    truth.set(`unit ${unit.id}`, { ...withDates(unit), item, photos: [] });
  }
  return truth;
}

function withDates(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Date ? value.toISOString() : value,
  ]);
  return Object.fromEntries(entries) as Readonly<Record<string, unknown>>;
}

interface Difference {
  readonly missing: string[];
  readonly foreign: string[];
  readonly different: string[];
}

function compare(held: Held, truth: Held): Difference {
  const missing = [...truth.keys()].filter((key) => !held.has(key));
  const foreign = [...held.keys()].filter((key) => !truth.has(key));
  const different = [...truth].filter(([key, value]) => {
    const other = held.get(key);
    return other !== undefined && sortedJson(other) !== sortedJson(value);
  });
  return { missing, foreign, different: different.map(([key]) => key) };
}

/** Serializes a value as JSON with sorted members. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
