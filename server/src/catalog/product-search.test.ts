import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { systemClock } from '../base/clock.ts';
import type { NdjsonLine } from '../import/ndjson.ts';
import { newId } from '../base/secrets.ts';
import { importCatalog } from './import-catalog.ts';
import { ProductSearch } from './product-search.ts';

const NAMES = [
  '拡張パック 空のかけら BOX',
  '空のかけら BOX',
  'スターターデッキ ガルダ',
  'Pokéball Élite Trainer Box',
  '100% Deluxe_Set',
  '100 Deluxe Set',
];
const GAME = { id: newId(), code: 'skyfall', name: 'スカイフォール' };
const JAN = '4901234567894';

describe('the search for products', () => {
  let base: TestDatabase;
  let search: ProductSearch;
  let first: string;
  before(async () => {
    base = await openTestDatabase();
    const product = { productKind: 'box', languageCode: 'ja', game: GAME };
    const values = NAMES.map((name, at) => {
      return { ...product, id: newId(), name, janCode: at === 0 ? JAN : null };
    });
    first = values[0]?.id ?? '';
    const gone = { ...product, id: newId(), name: '空のかけら 旧版', isActive: false };
    await importProducts([...values, gone]);
    search = new ProductSearch(base.db);
  });
  after(async () => await base.close());

  async function importProducts(values: readonly object[]): Promise<void> {
    async function* lines(): AsyncGenerator<NdjsonLine> {
      for (const [at, value] of values.entries()) yield { kind: 'value', number: at + 1, value };
    }
    const imported = await importCatalog(base.db, lines(), { clock: systemClock });
    assert.deepEqual(imported.rejected, []);
  }

  for (const [text, names] of [
    // Names that begin with the query come first. Inactive products are not found.
    ['空のかけら', ['空のかけら BOX', '拡張パック 空のかけら BOX']],
    ['空のかけら　ｂｏｘ 拡張', ['拡張パック 空のかけら BOX']],
    ['すたーたー', ['スターターデッキ ガルダ']],
    ['ｶﾞﾙﾀﾞ', ['スターターデッキ ガルダ']],
    ['カルタ', []],
    ['elite pokeball', ['Pokéball Élite Trainer Box']],
    ['100%', ['100% Deluxe_Set']],
    ['deluxe_', ['100% Deluxe_Set']],
    ['\\', []],
    ['スカイフォール set', ['100 Deluxe Set', '100% Deluxe_Set']],
    [' ', []],
    ['a '.repeat(21), []],
    [JAN, ['拡張パック 空のかけら BOX']],
    ['490-1234-567894', ['拡張パック 空のかけら BOX']],
    ['4901234567895', []],
  ] as const) {
    it(`a search for ${JSON.stringify(text.slice(0, 30))} finds ${names.length}`, async () => {
      const found = await search.find(text, 25);
      assert.deepEqual(
        found.map(({ name }) => name),
        names,
      );
    });
  }

  it('products are found by id and by game and kind, up to the limit', async () => {
    const [byId] = await search.find(first.toUpperCase(), 25);
    assert.equal(byId?.id, first);
    assert.equal((await search.find(`${GAME.code} box`, 25)).length, 6);
    assert.equal((await search.find('box', 2)).length, 2);
  });

  it('a product is found by its new name right after an import, and a deactivated product is not found', async () => {
    const product = { productKind: 'deck', languageCode: 'ja', game: GAME, janCode: null };
    const [added, renamed] = [newId(), newId()];
    await importProducts([
      { ...product, id: added, name: '新しいデッキ' },
      { ...product, id: renamed, name: '古いデッキ' },
    ]);
    assert.deepEqual(
      (await search.find('デッキ deck', 25)).map(({ id }) => id).toSorted(),
      [added, renamed].toSorted(),
    );
    await importProducts([
      { ...product, id: added, name: '新しいデッキ', isActive: false },
      { ...product, id: renamed, name: '改名デッキ' },
    ]);
    assert.deepEqual(
      (await search.find('デッキ deck', 25)).map(({ name }) => name),
      ['改名デッキ'],
    );
    assert.deepEqual(await search.find('古い', 25), []);
  });
});
