import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type FixtureName, fixtureElements } from '../../test/format-fixture.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { countAdvisoryWaits } from '../../test/waiting-locks.ts';
import { ManualClock } from '../base/clock.ts';
import { readJsonElements } from '../import/json-elements.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { readCatalogChanges } from './catalog-change.ts';
import type { FormatName } from './formats/format.ts';
import { createElementReader } from './formats/element-reader.ts';
import { readElements } from './formats/read-elements.ts';
import { importEntries, type ImportEntriesResult } from './import-entries.ts';
import { lockCatalogShared } from './catalog-lock.ts';
import { readCards, readCatalogPosition } from './read-entries.ts';

type PublicForm = Exclude<FormatName, 'cardport'>;

const clock = new ManualClock(new Date('2026-11-01T00:00:00.000Z'));
const files: readonly (readonly [form: PublicForm, fixture: FixtureName])[] = [
  ['scryfall', 'scryfall'],
  ['pokemon-tcg-data', 'pokemon-tcg-data-api'],
  ['tcgdex', 'tcgdex'],
  ['ygoprodeck', 'ygoprodeck'],
];
const selectAllCards = statement<{ readonly card: string }>(
  'test_select_all_cards',
  `select to_jsonb(card.*)::text as card from card order by card_id`,
);

async function importText(
  db: Database,
  form: PublicForm,
  text: string,
): Promise<ImportEntriesResult> {
  const languages = form === 'tcgdex' ? ['ja'] : [];
  const opened = createElementReader(form, { languages, sets: new Map() });
  assert.ok(opened.kind === 'open');
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  };
  return await importEntries(db, readElements(readJsonElements(bytes()), opened.read), { clock });
}

async function allCards(db: Database): Promise<string[]> {
  return (await db.query(selectAllCards)).map(({ card }) => card);
}

/** Returns an array with one element per line, the format of bulk files. */
function bulk(elements: readonly (object | string)[]): string {
  const lines = elements.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  return `[\n${lines.join(',\n')}\n]`;
}

describe('an import of the public formats', () => {
  it('an import waits while an entry is being rendered', async () => {
    await using base = await openTestDatabase();
    const { db } = base;
    const shared = Promise.withResolvers<void>();
    const rendered = Promise.withResolvers<void>();
    const rendering = db.transaction(async (tx) => {
      await lockCatalogShared(tx);
      shared.resolve();
      await rendered.promise;
    });
    await shared.promise;
    const importing = importText(db, 'scryfall', bulk(fixtureElements('scryfall')));
    try {
      await waitUntil(async () => (await countAdvisoryWaits(db)) === 1);
      assert.deepEqual(await allCards(db), []);
    } finally {
      rendered.resolve();
      await rendering;
    }
    assert.equal((await importing).entries.added, 7);
  });

  it('an import counts elements and cards, and records no change when it is repeated', async () => {
    await using base = await openTestDatabase();
    const cards = [7, 4, 6, 4];
    for (const [index, [form, fixture]] of files.entries()) {
      const elements = fixtureElements(fixture);
      const first = await importText(base.db, form, JSON.stringify({ data: elements }));
      assert.deepEqual([first.rejectedCount, first.entries.changed], [0, 0]);
      assert.equal(first.entries.added, cards[index]);
      const passedOver = [...first.passedOver.values()].reduce((all, count) => all + count, 0);
      assert.equal(first.accepted + passedOver, elements.length);
    }
    const position = await readCatalogPosition(base.db);
    const before = await allCards(base.db);
    for (const [index, [form, fixture]] of files.entries()) {
      const again = await importText(base.db, form, bulk(fixtureElements(fixture).toReversed()));
      assert.deepEqual(again.entries, { added: 0, changed: 0, unchanged: cards[index] });
    }
    assert.equal(await readCatalogPosition(base.db), position);
    assert.deepEqual(await allCards(base.db), before);
  });

  it('an import changes only the cards of a changed element', async () => {
    await using base = await openTestDatabase();
    const elements = fixtureElements('scryfall');
    await importText(base.db, 'scryfall', bulk(elements));
    const position = await readCatalogPosition(base.db);
    const changed = [{ ...elements[0], rarity: 'rare', finishes: ['nonfoil', 'foil'] }];
    const result = await importText(base.db, 'scryfall', bulk([...changed, ...elements.slice(1)]));
    assert.deepEqual(result.entries, { added: 0, changed: 2, unchanged: 4 });
    const changes = await readCatalogChanges(base.db, position, 100);
    assert.equal(changes.length, 2);
    // The card of the missing finish stays, because an import never removes entries.
    assert.equal((await allCards(base.db)).length, 7);
  });

  it('the elements before a JSON syntax error are imported, and the position of the error is reported', async () => {
    await using base = await openTestDatabase();
    const [first = {}, second = {}, third = {}] = fixtureElements('scryfall');
    const broken = JSON.stringify(second).replace('"lang":"ja"', '"lang":"ja');
    const result = await importText(base.db, 'scryfall', bulk([first, broken, third]));
    assert.deepEqual([result.accepted, result.rejectedCount], [1, 1]);
    const byte = JSON.stringify(first).length + '[\n,\n'.length;
    assert.deepEqual(result.rejected, [
      {
        line: 3,
        error: 'invalid_request',
        detail: `The value that starts at byte ${byte} does not end.`,
      },
    ]);
    assert.equal((await allCards(base.db)).length, 3);
  });

  it('an element is rejected completely if one of its cards is invalid', async () => {
    await using base = await openTestDatabase();
    const [badger = {}] = fixtureElements('ygoprodeck');
    const printings = [
      { set_code: 'A-EN001', set_name: 'A' },
      { set_code: 'B'.repeat(101), set_name: 'B' },
    ];
    const text = JSON.stringify([badger, { ...badger, id: 2, card_sets: printings }]);
    const result = await importText(base.db, 'ygoprodeck', text);
    assert.deepEqual([result.accepted, result.entries.added], [1, 4]);
    assert.match(result.rejected[0]?.detail ?? '', /^Element 2: cardNumber must have at most 100/);
    assert.equal((await allCards(base.db)).length, 4);
  });

  it('an import can contain more cards than fit in one batch', async () => {
    await using base = await openTestDatabase();
    const [badger = {}] = fixtureElements('ygoprodeck');
    const elements = Array.from({ length: 9 }, (_, id) => ({
      ...badger,
      id,
      card_sets: Array.from({ length: 150 }, (_each, n) => ({
        set_code: `A-EN${n}`,
        set_name: 'A',
      })),
    }));
    const result = await importText(base.db, 'ygoprodeck', bulk(elements));
    assert.deepEqual([result.accepted, result.entries.added], [9, 1_350]);
  });

  it('the catalog after an import does not depend on the order of the elements', async () => {
    await using base = await openTestDatabase();
    const elements = fixtureElements('scryfall');
    await importText(base.db, 'scryfall', bulk(elements));
    const expected = await allCards(base.db);
    const orders = fc.sample(fc.shuffledSubarray(elements, { minLength: elements.length }), 5);
    for (const order of orders) {
      const { entries } = await importText(base.db, 'scryfall', bulk(order));
      assert.deepEqual(entries, { added: 0, changed: 0, unchanged: 7 });
    }
    assert.deepEqual(await allCards(base.db), expected);
    const id = '11111111-aaaa-4aaa-8aaa-000000000002';
    assert.equal((await readCards(base.db, [id])).get(id)?.name, '灯籠鷺');
  });
});
