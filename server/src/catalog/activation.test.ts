import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fixtureElements } from '../../test/format-fixture.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { ManualClock } from '../base/clock.ts';
import type { ImportResult } from '../import/import-report.ts';
import { readJsonElements } from '../import/json-elements.ts';
import { readNdjson } from '../import/ndjson.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { readCatalogChanges } from './catalog-change.ts';
import { createElementReader } from './formats/element-reader.ts';
import { readElements } from './formats/read-elements.ts';
import { importCatalog } from './import-catalog.ts';
import { type EntryLine, importEntries, type ImportEntriesResult } from './import-entries.ts';
import { readActiveCards, readCards, readCatalogPosition, readProducts } from './read-entries.ts';

const clock = new ManualClock(new Date('2026-11-01T00:00:00.000Z'));
const GAME = { id: 'a0000000-0000-4000-8000-000000000001', code: 'kumo', name: '雲の札' };

const selectStates = statement<{ readonly id: string; readonly isActive: boolean }>(
  'test_select_entry_states',
  `select card_id as id, is_active as "isActive" from card
    union all select product_id, is_active from product`,
);

function idOf(n: number): string {
  return `c0000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

function cardLine(n: number, changed: object = {}): object {
  return { id: idOf(n), name: `札${n}`, languageCode: 'ja', game: GAME, ...changed };
}

function productLine(n: number, changed: object = {}): object {
  return cardLine(n, { productKind: 'box', ...changed });
}

function activationLine(n: number, isActive: boolean): object {
  return { id: idOf(n), isActive };
}

async function importLines(db: Database, lines: readonly object[]): Promise<ImportResult> {
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  };
  return await importCatalog(db, readNdjson(bytes()), { clock });
}

async function importScryfall(db: Database): Promise<ImportEntriesResult> {
  const opened = createElementReader('scryfall', { languages: [], sets: new Map() });
  assert.ok(opened.kind === 'open');
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(JSON.stringify(fixtureElements('scryfall')));
  };
  return await importEntries(db, readElements(readJsonElements(bytes()), opened.read), { clock });
}

async function statesOf(db: Database): Promise<ReadonlyMap<string, boolean>> {
  return new Map((await db.query(selectStates)).map(({ id, isActive }) => [id, isActive]));
}

describe('a catalog line with only id and isActive (decision 0005)', () => {
  it('a line deactivates and activates a known card, and leaves everything else unchanged', async () => {
    await using base = await openTestDatabase();
    const { db } = base;
    const line = cardLine(1, { cardNumber: '016', finish: 'holo', janCode: '4900000000001' });
    await importLines(db, [line, cardLine(2)]);
    const before = (await readCards(db, [idOf(1)])).get(idOf(1));
    const position = await readCatalogPosition(db);

    assert.deepEqual(await importLines(db, [activationLine(1, false)]), {
      accepted: 1,
      rejected: [],
      rejectedCount: 0,
    });
    assert.deepEqual(await readActiveCards(db, [idOf(1)]), []);
    assert.deepEqual((await readCards(db, [idOf(1)])).get(idOf(1)), before);
    const changes = await readCatalogChanges(db, position, 10);
    assert.deepEqual(
      changes.map(({ entryKind, entryId }) => [entryKind, entryId]),
      [['card', idOf(1)]],
    );
    assert.equal((await statesOf(db)).get(idOf(2)), true);

    await importLines(db, [activationLine(1, true)]);
    assert.deepEqual(await readActiveCards(db, [idOf(1)]), [before]);
  });

  it('a line changes and announces nothing if the entry already has this value of isActive', async () => {
    await using base = await openTestDatabase();
    await importLines(base.db, [cardLine(1), productLine(2), activationLine(1, false)]);
    const position = await readCatalogPosition(base.db);
    const again = [activationLine(1, false), activationLine(2, true), activationLine(2, false)];
    const result = await importLines(base.db, [...again, activationLine(2, true)]);
    assert.deepEqual([result.accepted, result.rejectedCount], [4, 0]);
    assert.equal(await readCatalogPosition(base.db), position);
  });

  it('a line deactivates a product', async () => {
    await using base = await openTestDatabase();
    await importLines(base.db, [productLine(2, { janCode: '4900000000001' })]);
    const before = (await readProducts(base.db, [idOf(2)])).get(idOf(2));
    await importLines(base.db, [activationLine(2, false)]);
    assert.equal((await statesOf(base.db)).get(idOf(2)), false);
    assert.deepEqual((await readProducts(base.db, [idOf(2)])).get(idOf(2)), before);
    const changes = await readCatalogChanges(base.db, 0, 10);
    assert.deepEqual(
      changes.map(({ entryKind, entryId }) => [entryKind, entryId]),
      [['product', idOf(2)]],
    );
  });

  it('a line with an unknown id is rejected with its line number, and other lines are imported', async () => {
    await using base = await openTestDatabase();
    const grade = {
      id: idOf(3),
      code: '10',
      label: 'PSA 10',
      serviceCode: 'psa',
      serviceName: 'PSA',
      serviceKind: 'third_party',
    };
    // The third line tries to deactivate a card that only the fourth line adds.
    const lines = [grade, activationLine(3, false), activationLine(1, false), cardLine(1)];
    const result = await importLines(base.db, lines);
    assert.equal(result.accepted, 2);
    assert.deepEqual(
      result.rejected.map(({ line, error }) => [line, error]),
      [
        [2, 'not_found'],
        [3, 'not_found'],
      ],
    );
    assert.match(result.rejected[0]?.detail ?? '', /^id: no card or product has this id/);
    assert.deepEqual([...(await statesOf(base.db))], [[idOf(1), true]]);
  });

  it('a line is rejected if a card and a product share the id', async () => {
    await using base = await openTestDatabase();
    await importLines(base.db, [cardLine(1), productLine(1)]);
    const result = await importLines(base.db, [activationLine(1, false)]);
    assert.deepEqual([result.accepted, result.rejected[0]?.error], [0, 'conflict']);
    assert.deepEqual([...(await statesOf(base.db)).values()], [true]);
  });

  it('a line with a further member is rejected as an incomplete entry', async () => {
    await using base = await openTestDatabase();
    await importLines(base.db, [cardLine(1)]);
    const result = await importLines(base.db, [
      { ...activationLine(1, false), note: 'sold out' },
      { ...activationLine(1, false), name: '札' },
      { id: idOf(1), isActive: 'no' },
      { id: idOf(1), isActive: null },
      { id: 'x', isActive: false },
      { id: idOf(1) },
    ]);
    assert.equal(result.accepted, 0);
    const details = result.rejected.map(({ detail }) => detail);
    assert.match(details[0] ?? '', /^A card must contain name, languageCode, game/);
    assert.match(details[1] ?? '', /^A card must contain languageCode, game/);
    assert.match(details[2] ?? '', /^isActive must be true or false/);
    assert.match(details[3] ?? '', /^isActive must be true or false/);
    assert.match(details[4] ?? '', /^id must be a UUID/);
    assert.match(details[5] ?? '', /^A card must contain name/);
    assert.equal((await statesOf(base.db)).get(idOf(1)), true);
  });

  it('activation lines and complete lines work in any order, within one batch and across batches', async () => {
    await using base = await openTestDatabase();
    const step = fc.constantFrom('whole', 'whole off', 'on', 'off');
    const orders = fc.sample(fc.array(step, { minLength: 1, maxLength: 5 }), 25);
    const expected = new Map<string, boolean>();
    let refused = 0;
    const lineOf = (what: string, n: number): object => {
      if (what === 'on' || what === 'off') return activationLine(n, what === 'on');
      const line = n % 2 === 0 ? cardLine : productLine;
      return line(n, what === 'whole' ? {} : { isActive: false });
    };
    for (const [n, order] of orders.entries()) {
      for (const what of order) {
        const isKnown = expected.has(idOf(n));
        if (what.startsWith('whole')) expected.set(idOf(n), what === 'whole');
        else if (isKnown) expected.set(idOf(n), what === 'on');
        else refused += 1;
      }
    }
    const together = orders.flatMap((order, n) => order.map((what) => lineOf(what, n)));
    const filler = Array.from({ length: 499 }, (_, n) => cardLine(n + 1_000));
    const result = await importLines(base.db, [...filler, ...together]);
    assert.equal(result.rejectedCount, refused);
    const states = await statesOf(base.db);
    for (const [id, isActive] of expected) assert.equal(states.get(id), isActive, id);
    assert.equal(states.size, filler.length + expected.size);

    await using other = await openTestDatabase();
    for (const line of together) await importLines(other.db, [line]);
    assert.deepEqual(await statesOf(other.db), expected);
  });
});

describe('isActive in the public formats (decision 0005)', () => {
  it('isActive stays false for a card that was deactivated by hand, and is true for a new card', async () => {
    await using base = await openTestDatabase();
    assert.equal((await importScryfall(base.db)).entries.added, 7);
    const states = await statesOf(base.db);
    assert.deepEqual([...new Set(states.values())], [true]);
    const [id = ''] = states.keys();
    await importLines(base.db, [{ id, isActive: false }]);
    const position = await readCatalogPosition(base.db);
    assert.deepEqual((await importScryfall(base.db)).entries, {
      added: 0,
      changed: 0,
      unchanged: 7,
    });
    assert.equal(await readCatalogPosition(base.db), position);
    assert.equal((await statesOf(base.db)).get(id), false);
  });

  it('isActive stays false when other values of the card change, even within one batch', async () => {
    await using base = await openTestDatabase();
    await importLines(base.db, [cardLine(1), cardLine(2), activationLine(1, false)]);
    const card = (await readCards(base.db, [idOf(1)])).get(idOf(1));
    assert.ok(card !== undefined);
    const unsaid = { kind: 'card', card: { ...card, name: '新' }, isActive: null } as const;
    const second = { ...card, id: idOf(2) };
    const lines = async function* (): AsyncGenerator<EntryLine, void> {
      yield { kind: 'entries', number: 1, entries: [unsaid] };
      yield {
        kind: 'entries',
        number: 2,
        entries: [{ kind: 'activation', id: idOf(2), isActive: false }],
      };
      yield { kind: 'entries', number: 3, entries: [{ ...unsaid, card: second }] };
    };
    const { entries } = await importEntries(base.db, lines(), { clock });
    assert.deepEqual(entries, { added: 0, changed: 2, unchanged: 1 });
    assert.deepEqual([...(await statesOf(base.db)).values()], [false, false]);
    const cards = await readCards(base.db, [idOf(1), idOf(2)]);
    assert.deepEqual([cards.get(idOf(1))?.name, cards.get(idOf(2))?.name], ['新', '札1']);
  });
});
