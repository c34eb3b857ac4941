import type { IdSource } from '../catalog/external-id.ts';

/** The fields that a column of a file may contain, in display order. */
export const FILE_FIELDS = [
  'quantity',
  'name',
  'set',
  'number',
  'language',
  'finish',
  'variant',
  'jan',
  'itemId',
  'scryfallId',
  'pokemonTcgId',
  'tcgdexId',
  'ygoprodeckId',
  'tcgplayerId',
  'cardmarketId',
  'condition',
  'certNumber',
  'serialNumber',
  'price',
  'cost',
  'site',
  'location',
  'ownership',
  'acquiredAt',
  'playset',
  'rowKey',
  'unitId',
] as const;

export type FileField = (typeof FILE_FIELDS)[number];

/** The index of each field's column. Fields without a column are absent. */
export type Mapping = Readonly<Partial<Record<FileField, number>>>;

/** Maps each field that holds another system's id to that system. */
export const SOURCE_OF_FIELD = {
  scryfallId: 'scryfall',
  pokemonTcgId: 'pokemon-tcg-data',
  tcgdexId: 'tcgdex',
  ygoprodeckId: 'ygoprodeck',
  tcgplayerId: 'tcgplayer',
  cardmarketId: 'cardmarket',
} as const satisfies Partial<Record<FileField, IdSource>>;

/**
 * The column names of each field in English and Japanese, in the form that `headerKey` returns. If
 * several columns of a file match, the column with the earliest name in this list is used.
 */
const NAMES: Readonly<Record<FileField, string>> = {
  quantity: `quantity qty totalquantity count amount onhand stock instock 数量 在庫数 枚数 個数 点数
    在庫`,
  name: `cardname name productname itemname englishname title card カード名 商品名 品名 名前 名称`,
  set: `setcode set setname edition expansion expname expansionname exp セット セットコード
    セット名 収録パック 収録 パック名 エキスパンション シリーズ`,
  number: `cardnumber collectornumber number cardno no カード番号 コレクター番号 番号 型番`,
  language: `language lang 言語`,
  finish: `finish foil isfoil printing 仕上げ 加工`,
  variant: `variant version バージョン 版`,
  jan: `jan jancode janコード barcode gtin ean upc バーコード`,
  itemId: `itemid cardid cardportid 商品id カードid`,
  scryfallId: `scryfallid`,
  pokemonTcgId: `pokemontcgid pokemontcgioid`,
  tcgdexId: `tcgdexid`,
  ygoprodeckId: `ygoprodeckid`,
  tcgplayerId: `tcgplayerproductid`,
  cardmarketId: `cardmarketid mkmid`,
  condition: `condition cond grade 状態鑑定 状態 グレード ランク コンディション`,
  certNumber: `certnumber certificatenumber certificationnumber cert 鑑定番号`,
  serialNumber: `serialnumber serial シリアル番号 シリアル`,
  price: `price sellprice sellingprice 売価 販売価格 価格 値段`,
  cost: `cost unitcost costperitem purchaseprice buyprice 仕入値 仕入価格 原価 買取価格`,
  site: `site store 店舗 拠点`,
  location: `location shelf bin 場所 保管場所 棚 ロケーション`,
  ownership: `ownership 所有`,
  acquiredAt: `acquired acquiredat dateacquired 仕入日 取得日`,
  playset: ``,
  rowKey: `rowkey sku 行キー 管理番号`,
  unitId: `unitid 在庫id`,
};

/** The columns of another system's export. Their names may mean something else in other files. */
interface Preset {
  readonly name: PresetName;
  /** A file that has all these columns is an export of this system. */
  readonly has: readonly string[];
  readonly names: Partial<Readonly<Record<FileField, string>>>;
  /** `column` is filled only in the first of several rows that have the same value in `by`. */
  readonly carried?: { readonly column: string; readonly by: string };
}

export type PresetName =
  | 'tcgplayer'
  | 'cardmarket'
  | 'shopify_inventory'
  | 'shopify_products'
  | 'square';

const PRESETS: readonly Preset[] = [
  {
    // `TCGplayer Id` is the id of a product in one condition, so it identifies the row.
    name: 'tcgplayer',
    has: ['tcgplayerid', 'productname', 'totalquantity'],
    names: {
      rowKey: 'tcgplayerid',
      tcgplayerId: 'productid',
      price: 'tcgmarketplaceprice',
    },
  },
  {
    name: 'cardmarket',
    has: ['idproduct', 'condition', 'amount'],
    names: { cardmarketId: 'idproduct', playset: 'playset isplayset', set: 'expname exp' },
  },
  {
    name: 'shopify_inventory',
    has: ['handle', 'title', 'sku', 'location'],
    names: {
      site: 'location',
      location: 'binname',
      condition: 'option1value',
      quantity: 'onhandcurrent onhand availablenoteditable available',
    },
    carried: { column: 'title', by: 'handle' },
  },
  {
    name: 'shopify_products',
    has: ['handle', 'title', 'variantprice'],
    names: {
      rowKey: 'variantsku',
      condition: 'option1value',
      price: 'variantprice',
      jan: 'variantbarcode',
      quantity: 'variantinventoryqty',
      cost: 'costperitem',
    },
    carried: { column: 'title', by: 'handle' },
  },
  {
    name: 'square',
    has: ['token', 'itemname', 'variationname'],
    names: {
      rowKey: 'token',
      condition: 'variationname',
      // The header ends with the name of the location.
      quantity: 'currentquantity*',
      cost: 'defaultunitcost',
    },
  },
];

export interface Layout {
  readonly preset: PresetName | null;
  readonly mapping: Mapping;
  /** Indexes of the columns of `Preset.carried`. */
  readonly carried: { readonly column: number; readonly by: number } | null;
}

export function guessLayout(headers: readonly string[]): Layout {
  const keys = headers.map((header) => headerKey(header));
  const preset = PRESETS.find(({ has }) => has.every((name) => keys.includes(name))) ?? null;
  const used = new Set<number>();
  const mapping: Partial<Record<FileField, number>> = {};
  const assign = (field: FileField, names: string): void => {
    for (const name of names.split(/\s+/).filter(Boolean)) {
      const column = keys.findIndex((key, index) => isNamed(key, name) && !used.has(index));
      if (column < 0) continue;
      mapping[field] = column;
      used.add(column);
      return;
    }
  };
  for (const field of FILE_FIELDS) assign(field, preset?.names[field] ?? '');
  for (const field of FILE_FIELDS) {
    if (mapping[field] === undefined) assign(field, NAMES[field]);
  }
  const carried = preset?.carried;
  return {
    preset: preset?.name ?? null,
    mapping,
    carried:
      carried === undefined
        ? null
        : { column: keys.indexOf(carried.column), by: keys.indexOf(carried.by) },
  };
}

/** Returns the letters and digits of a header, so that `Exp. Name` and `exp_name` are equal. */
export function headerKey(header: string): string {
  return header
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

function isNamed(key: string, name: string): boolean {
  return name.endsWith('*') ? key.startsWith(name.slice(0, -1)) : key === name;
}
