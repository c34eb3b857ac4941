import { gzipSync } from 'node:zlib';
import { makeCards } from '../../src/demo/cards.ts';
import { FIELD_NAMES } from '../../src/stock-file/fault-text.ts';
import { mutateBytes, mutateText, pickHostileText } from './mutation.ts';
import type { Random } from './random.ts';
import type { ValuePools } from './value-pools.ts';

/** The columns of files that the import knows: its own, and those of marketplaces and tills. */
const HEADERS: readonly (readonly string[])[] = [
  Object.values(FIELD_NAMES).map(({ en }) => en),
  Object.values(FIELD_NAMES).map(({ ja }) => ja),
  ['Item ID', 'Quantity'],
  ['カード名', '枚数', '売価', '状態・鑑定'],
  'TCGplayer Id,Product Line,Set Name,Product Name,Title,Number,Rarity,Condition,TCG Market Price,Total Quantity,TCG Marketplace Price'.split(
    ',',
  ),
  'idProduct,Name,Exp. Name,Condition,Language,isFoil,isPlayset,Amount,Price,Comments'.split(','),
  'Handle,Title,Option1 Name,Option1 Value,SKU,Location,Bin name,Available (not editable),On hand (current)'.split(
    ',',
  ),
  'Handle,Title,Option1 Value,Variant SKU,Variant Inventory Qty,Variant Price,Variant Barcode,Cost per item'.split(
    ',',
  ),
  'Token,Item Name,Variation Name,SKU,Price,Default Unit Cost,Current Quantity 本店'.split(','),
];

/** Cards that are in the catalog of the run. */
const CARDS = makeCards()
  .slice(0, 100)
  .map(({ of }) => of);

/** Values by the words of a column's name. The first match is used. */
const VALUES: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /quantity|qty|amount|hand|available|枚数|数量/i,
    ['1', '2', '12', '１２', '0', '-1', '1.5', '1,5', '1e3', '٣', '500', '501', '9'.repeat(30), ''],
  ],
  [
    /price|cost|売価|原価|価格/i,
    ['1200', '1,200', '1.200,50', '¥900', '-5', '0', '１００', 'NaN', '1e12', '9'.repeat(20), ''],
  ],
  [
    /condition|option1|variation|状態/i,
    ['NM', 'Near Mint Holofoil', 'PSA 10', 'A-', 'Default', ''],
  ],
  [/language|言語/i, ['ja', 'EN', 'Japanese', '日本語', 'xx', '']],
  [/foil|playset|finish|仕上げ/i, ['true', 'Yes', '1', 'foil', 'no', '']],
  [/barcode|jan/i, ['4901234567894', '4901234567890', '0', '']],
  [/acquired|date|取得/i, ['2026-01-31', '31/01/2026', '2026-02-30', '46000', '']],
  [/ownership|所有/i, ['owned', 'consignment', '委託', '']],
];

const DELIMITERS = [',', ',', ',', ',', ';', ';', '\t', '\t', '|'] as const;
const LINE_ENDS = ['\r\n', '\n', '\r'] as const;
const ODD_LINE_ENDS = ['\n\r', '\u2028', '\r\r\n'] as const;
const MANY_ROWS = [1_000, 5_000, 50_000, 50_001];
/** More than the size of the largest file that may be uploaded. */
const CHARACTERS_MAX = 9_000_000;
const LONG_CELLS = [32_767, 32_768, 500_001];
const MANY_COLUMNS = [100, 101, 1_000];
/** Files that are no table, or hardly one. */
const ODD_FILES: readonly Buffer[] = [
  Buffer.alloc(0),
  Buffer.from('\ufeff'),
  Buffer.from('\n\n\n'),
  Buffer.from('Quantity'),
  Buffer.from('sep=;\nName;Quantity\nAlba;1'),
  Buffer.from('"'),
  Buffer.from('Name,Quantity\n"Alba,1\n'.repeat(50)),
  Buffer.from(','.repeat(100_000)),
  Buffer.from('"'.repeat(100_001)),
  Buffer.from('a,b\n'.repeat(60_000)),
  Buffer.alloc(50_000),
  Buffer.from('PK\u0003\u0004[Content_Types].xml'),
  gzipSync('Name,Quantity\nAlba,1\n'),
  Buffer.from('<!doctype html><table><tr><td>Name</td></tr></table>'),
  // 商品名,数量 in Shift_JIS, and the first half of a character.
  Buffer.from('8fa4956996bc2c9094979f0d0a83410d0a83', 'hex'),
];

/** Returns a CSV file of stock: usually a valid one with a few odd cells, sometimes a damaged one. */
export function makeStockFile(random: Random, pools: ValuePools): Buffer {
  if (random.chance(8)) return random.pick(ODD_FILES);
  const bytes = encode(random, makeTable(random, pools));
  return random.chance(10) ? mutateBytes(random, bytes) : bytes;
}

function makeTable(random: Random, pools: ValuePools): string {
  const headers = changeHeaders(random, random.pick(HEADERS));
  const delimiter = random.pick(DELIMITERS);
  const end = random.pick(random.chance(92) ? LINE_ENDS : ODD_LINE_ENDS);
  // Most hostile characters make the import refuse the whole file, so most files have none.
  const hostilePercent = random.pick([0, 0, 0, 1, 5]);
  const quoting = random.weigh<Quoting>({ needed: 14, all: 4, none: 1, wrong: 1 });
  const line = (cells: readonly string[]): string =>
    cells.map((cell) => quote(random, cell, delimiter, quoting)).join(delimiter);
  const distinct = Array.from({ length: 1 + random.below(30) }, () =>
    line(
      changeRow(
        random,
        headers.map((header) => cellOf(random, pools, header, hostilePercent)),
      ),
    ),
  );
  const count = random.chance(2) ? random.pick(MANY_ROWS) : distinct.length;
  const lines = [line(headers)];
  let characters = 0;
  for (let row = 0; row < count && characters < CHARACTERS_MAX; row++) {
    const text = distinct[row % distinct.length] ?? '';
    lines.push(text);
    characters += text.length;
  }
  return [...lines, ...(random.chance(70) ? [''] : [])].join(end);
}

function changeHeaders(random: Random, headers: readonly string[]): readonly string[] {
  const at = random.below(headers.length);
  const [header = ''] = headers.slice(at);
  switch (random.below(14)) {
    case 0:
      return headers.toReversed();
    case 1:
      return [...headers, header];
    case 2:
      return headers.with(at, mutateText(random, header));
    case 3:
      return headers.map(() => random.pick(['', header, '__proto__']));
    case 4:
      return Array.from({ length: random.pick(MANY_COLUMNS) }, (_, n) => headers[n] ?? `c${n}`);
    default:
      return headers;
  }
}

function cellOf(random: Random, pools: ValuePools, header: string, hostilePercent: number): string {
  if (random.chance(hostilePercent)) return pickHostileText(random).slice(0, 2_000);
  if (random.below(2_000) === 0) return 'x'.repeat(random.pick(LONG_CELLS));
  const values = VALUES.find(([words]) => words.test(header))?.[1];
  if (values !== undefined) {
    const [first = ''] = values;
    return random.chance(60) ? first : random.pick(values);
  }
  if (/unit id|在庫/i.test(header)) return random.chance(50) ? '' : pools.id(random, 'unit');
  if (/id$|id\b/i.test(header)) return random.chance(60) ? pools.id(random, 'card') : '12345';
  const card = random.pick(CARDS);
  if (/name|title|商品|カード/i.test(header)) return card.name;
  if (/number|番号/i.test(header)) return card.cardNumber ?? '';
  if (/set|exp/i.test(header)) return card.set?.code ?? '';
  return random.pick(['', 'x', '本店', 'A-1', '=1+1', "'", '0012']);
}

function changeRow(random: Random, cells: readonly string[]): readonly string[] {
  if (random.chance(94)) return cells;
  return random.pick([cells.slice(1), [...cells, 'more'], [], cells.map(() => '')]);
}

type Quoting = 'needed' | 'all' | 'none' | 'wrong';

function quote(random: Random, cell: string, delimiter: string, quoting: Quoting): string {
  const quoted = `"${cell.replaceAll('"', '""')}"`;
  switch (quoting) {
    case 'needed':
      return cell.includes(delimiter) || /["\r\n]/.test(cell) ? quoted : cell;
    case 'all':
      return quoted;
    case 'none':
      return cell;
    case 'wrong':
      return random.pick([cell, quoted, `"${cell}"`, `x"${cell}"`, `"${cell}" x`, `"${cell}`]);
  }
}

function encode(random: Random, text: string): Buffer {
  const encoding = random.weigh({ utf8: 16, bom: 5, latin1: 1, utf16le: 1, utf16be: 1 });
  switch (encoding) {
    case 'utf8':
      return Buffer.from(text);
    case 'bom':
      return Buffer.from(`\ufeff${text}`);
    case 'latin1':
      return Buffer.from(text, 'latin1');
    case 'utf16le':
      return Buffer.from(`\ufeff${text}`, 'utf16le');
    case 'utf16be':
      return Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
  }
}
