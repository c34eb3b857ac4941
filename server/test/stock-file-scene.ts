import { systemClock } from '../src/base/clock.ts';
import { newId } from '../src/base/secrets.ts';
import { addExternalIds, type CardExternalId, type IdSource } from '../src/catalog/external-id.ts';
import { putShopGrade } from '../src/catalog/shop-grade.ts';
import { statement } from '../src/database/statement.ts';
import { guessLayout } from '../src/stock-file/columns.ts';
import type { FileFault } from '../src/stock-file/fault.ts';
import {
  digestOf,
  type FileResult,
  type FileSettings,
  processStockFile,
  type ProcessOptions,
} from '../src/stock-file/import-stock-file.ts';
import { readTable } from '../src/stock-file/read-table.ts';
import { type CatalogCard, importCards, newCard } from './catalog.ts';
import { seedStock, STOCK_MADE_AT, type TestStock } from './stock.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

/** The parts of a unit that tests compare with an imported file. */
export interface ImportedUnit {
  readonly name: string;
  readonly language: string | null;
  readonly finish: string | null;
  readonly grade: string | null;
  readonly price: number | null;
  readonly cost: number | null;
  readonly location: string | null;
}

export const selectImportedUnits = statement<ImportedUnit>(
  'test_select_filed_units',
  `select coalesce(c.name, p.name) as name, c.language_code as language, c.finish,
    g.code as grade, u.price_minor as price, u.cost_minor as cost, l.code as location
  from unit u
    left join card c on c.card_id = u.card_id
    left join product p on p.product_id = u.product_id
    left join shop_grade g on g.shop_id = u.shop_id and g.grade_id = u.grade_id
    left join location l on l.shop_id = u.shop_id and l.location_id = u.location_id
  where u.shop_id = $1
  order by 1, 2, 3, 4, 5`,
);

const MORNING = { id: newId(), code: 'MOR', name: 'Morning Mist', nameEn: 'Morning Mist' };
const EVENING = { id: newId(), code: 'EVE', name: '夕暮れ', nameEn: 'Evening Glow' };

/** The catalog of the scene: two sets of made-up cards, some with several printings. */
function sceneCards(): readonly CatalogCard[] {
  const english = { languageCode: 'en', set: MORNING };
  return [
    newCard('Puffolk', { ...english, cardNumber: '4', finish: 'nonfoil' }),
    newCard('Puffolk', { ...english, cardNumber: '4', finish: 'foil' }),
    newCard('Old Kettle', { ...english, cardNumber: 'TG05', finish: 'nonfoil' }),
    newCard('Lanternfish', { ...english, cardNumber: '39', finish: 'nonfoil' }),
    newCard('灯籠魚', {
      languageCode: 'ja',
      set: MORNING,
      cardNumber: '39',
      finish: 'nonfoil',
      localizedNames: { en: 'Lanternfish' },
    }),
    newCard('夕立の竜', {
      set: EVENING,
      cardNumber: '048',
      setTotalRaw: '090',
      localizedNames: { en: 'Squall Dragon' },
      janCode: '4900000000017',
    }),
    newCard('夕立の竜', { set: EVENING, cardNumber: '091', setTotalRaw: '090', variant: 'SR' }),
  ];
}

export interface StockFileScene extends AsyncDisposable {
  readonly base: TestDatabase;
  readonly stock: TestStock;
  readonly cards: readonly CatalogCard[];
  readonly settings: FileSettings;
  /** Imports a file as the pages and the command do, or returns why it cannot be read. */
  importFile(
    file: string | Uint8Array,
    changed?: Partial<FileSettings>,
    options?: Partial<ProcessOptions>,
  ): Promise<FileResult | FileFault>;
  units(): Promise<readonly ImportedUnit[]>;
}

/** Creates a shop with a site, the grades NM and A, and a catalog with external ids. */
export async function openStockFileScene(currency = 'JPY'): Promise<StockFileScene> {
  const base = await openTestDatabase();
  const seeded = await seedStock(base.db);
  const stock = { ...seeded, shop: { ...seeded.shop, currency } };
  const cards = sceneCards();
  await importCards(base.db, cards);
  await base.db.transaction(async (tx) => {
    const ids = (source: IdSource, id: string, at: number): CardExternalId => ({
      source,
      id,
      cardId: cards[at]?.id ?? '',
    });
    await addExternalIds(tx, [
      ids('scryfall', '5f0e8a10-63c5-4d0f-9a5e-0f6c0f1f7a99', 0),
      ids('scryfall', '5f0e8a10-63c5-4d0f-9a5e-0f6c0f1f7a99', 1),
      ids('cardmarket', '374406', 0),
      ids('cardmarket', '374406', 1),
      ids('cardmarket', '294560', 3),
      ids('cardmarket', '294560', 4),
      ids('tcgplayer', '51515', 2),
    ]);
    for (const [code, label] of [
      ['NM', 'Near Mint'],
      ['A', '良好'],
    ] as const) {
      const grade = { code, label, serviceCode: 'shop', serviceName: 'Shop' };
      await putShopGrade(tx, stock.shop.id, newId(), grade, STOCK_MADE_AT);
    }
  });
  const settings: FileSettings = {
    mapping: {},
    siteId: stock.siteId,
    locationId: null,
    isDelivery: false,
    itemChoices: {},
    gradeChoices: {},
  };
  return {
    base,
    stock,
    cards,
    settings,
    importFile: async (file, changed = {}, options = {}) => {
      const bytes = typeof file === 'string' ? Buffer.from(file) : file;
      const table = await readTable(bytes);
      if (table.kind === 'file_fault') return table;
      const { mapping, carried } = guessLayout(table.headers);
      return await processStockFile(
        base.db,
        stock.shop,
        { table, carried, digest: digestOf(bytes) },
        { ...settings, mapping, ...changed },
        {
          clock: systemClock,
          write: async (work) => await base.db.transaction(work),
          ...options,
        },
      );
    },
    units: async () => await base.db.query(selectImportedUnits, [stock.shop.id]),
    [Symbol.asyncDispose]: async () => await base.close(),
  };
}
