import assert from 'node:assert/strict';
import { createReadStream, existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ManualClock } from '../base/clock.ts';
import type { ImportResult } from '../import/import-report.ts';
import { readNdjson } from '../import/ndjson.ts';
import type { Database } from '../database/database.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { readCatalogChanges } from './catalog-change.ts';
import { importCatalog } from './import-catalog.ts';
import { readCards, readCatalogPosition, readGrades, readProducts } from './read-entries.ts';

const clock = new ManualClock(new Date('2026-11-01T00:00:00.000Z'));
const GAME = { id: 'a0000000-0000-4000-8000-000000000001', code: 'kumo', name: '雲の札' };
const SET = {
  id: 'b0000000-0000-4000-8000-000000000001',
  code: 'K1',
  name: '雲海',
  nameEn: 'Clouds',
};
const REAL_CATALOG = new URL('../../../../shared/data/cards.dev.jsonl.gz', import.meta.url);

function cardId(n: number): string {
  return `c0000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

function cardLine(n: number, changed: object = {}): object {
  return {
    id: cardId(n),
    name: `札${n}`,
    localizedNames: { ja: `札${n}`, en: `Card ${n}` },
    cardNumber: String(n),
    setTotalRaw: '100',
    janCode: null,
    languageCode: 'ja',
    variant: null,
    finish: 'holo',
    imageUrl: 'https://pictures.example/1.webp',
    rarity: { code: 'R', name: 'Rare' },
    set: SET,
    game: GAME,
    ...changed,
  };
}

async function* bytesOf(text: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function importLines(db: Database, lines: readonly object[]): Promise<ImportResult> {
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  return await importCatalog(db, readNdjson(bytesOf(text)), { clock });
}

async function changesAfter(db: Database, position: number): Promise<string[]> {
  const changes = await readCatalogChanges(db, position, 10_000);
  return changes.map((change) => `${change.entryKind} ${change.entryId}`).toSorted();
}

describe('catalog import (decision 0009)', () => {
  it('an import keeps every field of a card (2.2), in the order of the specification', async () => {
    await using base = await openTestDatabase();
    const line = cardLine(1);
    assert.deepEqual(await importLines(base.db, [line]), {
      accepted: 1,
      rejected: [],
      rejectedCount: 0,
    });
    const card = (await readCards(base.db, [cardId(1)])).get(cardId(1));
    assert.ok(card !== undefined);
    assert.deepEqual(card, line);
    assert.deepEqual(Object.keys(card), Object.keys(line));
  });

  it('a line with productKind is a product, and a line with serviceKind is a third-party grade', async () => {
    await using base = await openTestDatabase();
    const product = {
      id: cardId(2),
      name: '雲海 BOX',
      productKind: 'box',
      janCode: '4900000000000',
      languageCode: 'ja',
      imageUrl: null,
      game: GAME,
    };
    const grade = {
      id: cardId(3),
      code: '10',
      label: 'PSA 10',
      serviceCode: 'psa',
      serviceName: 'PSA',
      serviceKind: 'third_party',
    };
    const result = await importLines(base.db, [
      product,
      grade,
      { ...grade, serviceKind: 'internal' },
    ]);
    assert.equal(result.accepted, 2);
    assert.match(result.rejected[0]?.detail ?? '', /serviceKind must be third_party/);
    assert.deepEqual((await readProducts(base.db, [cardId(2)])).get(cardId(2)), product);
    const shopId = cardId(9);
    assert.deepEqual((await readGrades(base.db, shopId, [cardId(3)])).get(cardId(3)), grade);
    assert.equal((await readCards(base.db, [cardId(2), cardId(3)])).size, 0);
  });

  it('an import records a change only for new and changed entries', async () => {
    await using base = await openTestDatabase();
    const lines = Array.from({ length: 1_100 }, (_, n) => cardLine(n));
    await importLines(base.db, lines);
    const position = await readCatalogPosition(base.db);
    assert.equal((await changesAfter(base.db, 0)).length, 1_100);

    assert.equal((await importLines(base.db, lines)).accepted, 1_100);
    assert.equal(await readCatalogPosition(base.db), position);

    lines[7] = cardLine(7, { finish: null });
    lines[1_099] = cardLine(1_099, { isActive: false });
    await importLines(base.db, lines);
    const changed = await changesAfter(base.db, position);
    assert.deepEqual(changed, [`card ${cardId(7)}`, `card ${cardId(1_099)}`]);
    assert.equal(
      (await readCards(base.db, [cardId(1_099)])).size,
      1,
      'an inactive card is still read',
    );
  });

  it('a renamed game changes every entry of the game, but a renamed set changes only the imported card', async () => {
    await using base = await openTestDatabase();
    const product = {
      id: cardId(3),
      name: 'BOX',
      productKind: 'box',
      languageCode: 'ja',
      game: GAME,
    };
    await importLines(base.db, [cardLine(1), cardLine(2), product]);
    const before = await readCatalogPosition(base.db);
    await importLines(base.db, [cardLine(1, { game: { ...GAME, name: '雲の札 改' } })]);
    assert.deepEqual(await changesAfter(base.db, before), [
      `card ${cardId(1)}`,
      `card ${cardId(2)}`,
      `product ${cardId(3)}`,
    ]);
    const renamed = await readCards(base.db, [cardId(2)]);
    assert.equal(renamed.get(cardId(2))?.game.name, '雲の札 改');

    const position = await readCatalogPosition(base.db);
    const game = { ...GAME, name: '雲の札 改' };
    await importLines(base.db, [cardLine(1, { game, set: { ...SET, name: '雲海 限定' } })]);
    assert.deepEqual(await changesAfter(base.db, position), [`card ${cardId(1)}`]);
  });

  it('an import uses the first name of a game in the file, so a second import changes nothing', async () => {
    await using base = await openTestDatabase();
    const lines = [cardLine(1), cardLine(2, { game: { ...GAME, name: 'other' } })];
    await importLines(base.db, lines);
    const position = await readCatalogPosition(base.db);
    await importLines(base.db, lines);
    assert.equal(await readCatalogPosition(base.db), position);
    assert.equal((await readCards(base.db, [cardId(2)])).get(cardId(2))?.game.name, GAME.name);
  });

  it('the last of several lines with the same id counts, within one batch and across batches', async () => {
    await using base = await openTestDatabase();
    const lines = [cardLine(1), cardLine(1, { name: 'two' }), cardLine(2)];
    lines.push(
      ...Array.from({ length: 600 }, (_, n) => cardLine(n + 10)),
      cardLine(2, { name: 'late' }),
    );
    assert.equal((await importLines(base.db, lines)).accepted, lines.length);
    const cards = await readCards(base.db, [cardId(1), cardId(2)]);
    assert.deepEqual([cards.get(cardId(1))?.name, cards.get(cardId(2))?.name], ['two', 'late']);
  });

  it('an import reports each bad line with its number and reason, and keeps the good lines', async () => {
    await using base = await openTestDatabase();
    const bad: readonly [object | string, RegExp][] = [
      ['{', /not valid JSON/],
      [[], /must be a JSON object/],
      [cardLine(1, { id: 'x' }), /^id must be a UUID/],
      [cardLine(1, { name: '' }), /^name must not be empty/],
      [cardLine(1, { name: 'a\u0000b' }), /^name must not contain control characters/],
      ['{"id":"c0000000-0000-4000-8000-000000000001","name":"\\ud800"}', /an unpaired surrogate/],
      [cardLine(1, { name: '札'.repeat(501) }), /^name must have at most 500 characters/],
      [cardLine(1, { localizedNames: { ja: 1 } }), /^localizedNames.ja must be a string/],
      [cardLine(1, { localizedNames: { 'not a tag': 'x' } }), /not a language tag/],
      [cardLine(1, { imageUrl: 'javascript:alert(1)' }), /^imageUrl must be an http/],
      [cardLine(1, { rarity: { code: 'R' } }), /^rarity must contain name/],
      [cardLine(1, { set: { id: SET.id, code: null, name: 'x' } }), /^set.code must be a string/],
      [cardLine(1, { game: undefined }), /^A card must contain game\.$/],
      [cardLine(1, { productKind: 'box', serviceKind: 'third_party' }), /cannot be both/],
      [cardLine(1, { isActive: 'yes' }), /^isActive must be true or false/],
    ];
    const lines = bad.map(([line]) => (typeof line === 'string' ? line : JSON.stringify(line)));
    const text = `${lines.join('\n')}\n${JSON.stringify(cardLine(2))}`;
    const result = await importCatalog(base.db, readNdjson(bytesOf(text)), { clock });
    assert.equal(result.accepted, 1);
    for (const [index, [, reason]] of bad.entries()) {
      const rejected = result.rejected[index];
      assert.equal(rejected?.line, index + 1);
      assert.match(rejected.detail, reason);
    }
    assert.equal((await readCards(base.db, [cardId(1)])).size, 0);
    assert.equal((await readCards(base.db, [cardId(2)])).size, 1);
  });

  it('the lines of a truncated gzip file are imported, and the import reports that the file ends early', async () => {
    await using base = await openTestDatabase();
    const text = Array.from({ length: 3_000 }, (_, n) => JSON.stringify(cardLine(n))).join('\n');
    const packed = gzipSync(text);
    const cut = packed.subarray(0, packed.length - 200);
    const result = await importCatalog(base.db, readNdjson(bytesOf(cut)), { clock });
    assert.ok(result.accepted > 100);
    assert.match(result.rejected[0]?.detail ?? '', /gzip data ends early/);
  });

  it('an import keeps at most 1,000 rejected lines in memory and counts the others', async () => {
    await using base = await openTestDatabase();
    const text = '{}\n'.repeat(1_500);
    const result = await importCatalog(base.db, readNdjson(bytesOf(text)), { clock });
    assert.equal(result.rejected.length, 1_000);
    assert.equal(result.rejectedCount, 1_500);
  });

  it(
    'an import of 21,469 real cards gives cards equal to their lines',
    { skip: !existsSync(REAL_CATALOG) },
    async (t) => {
      await using base = await openTestDatabase();
      const began = performance.now();
      const first = await importCatalog(base.db, readNdjson(createReadStream(REAL_CATALOG)), {
        clock,
      });
      t.diagnostic(`imported in ${Math.round(performance.now() - began)} ms`);
      assert.deepEqual(first, { accepted: 21_469, rejected: [], rejectedCount: 0 });
      const position = await readCatalogPosition(base.db);
      const expected = new Map<string, object>();
      const tenth: object[] = [];
      for await (const line of readNdjson(createReadStream(REAL_CATALOG))) {
        if (line.number % 10 !== 0 || line.kind !== 'value') continue;
        const { x: _, ...card } = line.value as { id: string; x: unknown };
        expected.set(card.id, card);
        tenth.push(card);
      }
      await importLines(base.db, tenth);
      assert.equal(await readCatalogPosition(base.db), position);
      const cards = await readCards(base.db, [...expected.keys()]);
      assert.equal(cards.size, 2_146);
      for (const [id, card] of cards) assert.deepEqual(card, expected.get(id));
    },
  );
});
