import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seedStock, STOCK_MADE_AT, type TestStock } from '../../test/stock.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { ManualClock } from '../base/clock.ts';
import { newId } from '../base/secrets.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { readChanges } from '../inventory/feed.ts';
import { rerenderUnits } from '../inventory/rerender-units.ts';
import { putUnits } from '../inventory/unit.ts';
import type { Card } from './card.ts';
import { readCatalogChanges } from './catalog-change.ts';
import { importCatalog } from './import-catalog.ts';
import { recordEntriesOfRenamedGames } from './renamed-game.ts';
import { readCards, readCatalogPosition } from './read-entries.ts';

const clock = new ManualClock(STOCK_MADE_AT);
/** This number of cards needs more than two batches. */
const MORE_CARDS = 4_500;
/** The entries of the game: these cards, and the two cards and the product of `seedStock`. */
const ENTRIES = MORE_CARDS + 3;

export const insertTestCards = statement(
  'test_insert_cards',
  `insert into card (card_id, game_id, name, localized_names, language_code, is_active, updated_at)
   select gen_random_uuid(), $1, n::text, '{}', 'ja', true, now() from generate_series(1, $2) as n`,
);
export const countRenamedGames = statement<{ count: number }>(
  'test_count_renamed_games',
  `select count(*) as count from renamed_game`,
);

/** Returns a database that fails after `count` transactions, like a process that is killed. */
function dyingAfter(db: Database, count: number): Database {
  let left = count;
  return {
    query: async (one, values) => await db.query(one, values),
    one: async (one, values) => await db.one(one, values),
    count: async (one, values) => await db.count(one, values),
    transaction: async (work) => {
      left -= 1;
      if (left < 0) throw new Error('killed');
      return await db.transaction(work);
    },
    onAnnouncement: (handler) => db.onAnnouncement(handler),
    isDistributed: async () => await db.isDistributed(),
    poolState: () => db.poolState(),
    runScript: async (text) => await db.runScript(text),
    close: async () => await db.close(),
  };
}

async function seedGame(db: Database): Promise<{ stock: TestStock; card: Card }> {
  const stock = await seedStock(db);
  const card = (await readCards(db, [stock.cardId])).get(stock.cardId);
  assert.ok(card !== undefined);
  await db.query(insertTestCards, [card.game.id, MORE_CARDS]);
  return { stock, card };
}

/** Imports a file with a single line that has another name for the card's game. */
async function renameGame(db: Database, card: Card, name: string): Promise<void> {
  async function* lines(): AsyncGenerator<{ kind: 'value'; number: number; value: unknown }> {
    yield { kind: 'value', number: 1, value: { ...card, game: { ...card.game, name } } };
  }
  assert.equal((await importCatalog(db, lines(), { clock })).accepted, 1);
}

async function countChanges(db: Database, afterPosition: number): Promise<number> {
  const changes = await readCatalogChanges(db, afterPosition, 100_000);
  return new Set(changes.map((change) => `${change.entryKind} ${change.entryId}`)).size;
}

async function addUnit(db: Database, stock: TestStock): Promise<void> {
  const item = { kind: 'card' as const, cardId: stock.cardId };
  const unit = { id: newId(), siteId: stock.siteId, item };
  await db.transaction(async (tx) => await putUnits(tx, stock.shop, [unit], STOCK_MADE_AT));
}

/** Returns the game names that the units show, in feed order. */
async function gamesOfUnits(db: Database, stock: TestStock): Promise<string[]> {
  const page = await readChanges(db, stock.shop.id, null, { limit: 100, canSeeCost: false });
  assert.equal(page.kind, 'page');
  const changes: { kind: string; data: { item: { card: Card } } }[] = JSON.parse(
    `[${page.recordBytes.toString()}]`,
  );
  return changes
    .filter((change) => change.kind === 'unit')
    .map((change) => change.data.item.card.game.name);
}

describe('a renamed game', () => {
  it('a renamed game is recorded as a change of each of its entries, in small transactions', async () => {
    await using base = await openTestDatabase();
    const { card } = await seedGame(base.db);
    const sizes: number[] = [];
    let position = await readCatalogPosition(base.db);
    const counting: Database = {
      ...dyingAfter(base.db, 0),
      transaction: async (work) => {
        const result = await base.db.transaction(work);
        sizes.push(await countChanges(base.db, position));
        position = await readCatalogPosition(base.db);
        return result;
      },
    };
    await renameGame(counting, card, '別の名');
    assert.ok(Math.max(...sizes) <= 2_000, sizes.join(' '));
    assert.equal(await countChanges(base.db, 0), ENTRIES);
    assert.equal((await base.db.one(countRenamedGames))?.count, 0);
    await renameGame(base.db, card, '別の名');
    assert.equal(await readCatalogPosition(base.db), position, 'again, it changes nothing');
  });

  it('the next import completes the recording of a renamed game if an import is killed', async () => {
    await using base = await openTestDatabase();
    const { card } = await seedGame(base.db);
    await assert.rejects(renameGame(dyingAfter(base.db, 2), card, '別の名'), /killed/);
    assert.equal(await countChanges(base.db, 0), 2_000);
    const position = await readCatalogPosition(base.db);
    await renameGame(base.db, card, '別の名');
    assert.equal(await countChanges(base.db, 0), ENTRIES);
    assert.equal(await countChanges(base.db, position), ENTRIES - 2_000, 'none of them twice');
    assert.equal((await base.db.one(countRenamedGames))?.count, 0);
  });

  it('the recording starts over if the game is renamed a second time before the recording has finished', async () => {
    await using base = await openTestDatabase();
    const { card } = await seedGame(base.db);
    await assert.rejects(renameGame(dyingAfter(base.db, 3), card, '別の名'), /killed/);
    const position = await readCatalogPosition(base.db);
    await assert.rejects(renameGame(dyingAfter(base.db, 1), card, '三の名'), /killed/);
    await Promise.all([recordEntriesOfRenamedGames(base.db), recordEntriesOfRenamedGames(base.db)]);
    assert.equal(await countChanges(base.db, position), ENTRIES);
    assert.equal((await base.db.one(countRenamedGames))?.count, 0);
  });

  it('the new name appears immediately in units that are written, and in other units after the recording', async () => {
    await using base = await openTestDatabase();
    const { stock, card } = await seedGame(base.db);
    await addUnit(base.db, stock);
    await assert.rejects(renameGame(dyingAfter(base.db, 1), card, '別の名'), /killed/);
    await addUnit(base.db, stock);
    assert.deepEqual(await gamesOfUnits(base.db, stock), [card.game.name, '別の名']);
    await recordEntriesOfRenamedGames(base.db, AbortSignal.abort());
    assert.equal((await base.db.one(countRenamedGames))?.count, 2, 'stopped before it began');
    // The service calls this every few seconds. The call completes the interrupted work.
    await rerenderUnits(base.db, clock);
    assert.deepEqual(await gamesOfUnits(base.db, stock), ['別の名', '別の名']);
  });
});
