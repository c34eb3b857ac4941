import type { FileField } from './columns.ts';
import type { FileFault, FileFaultCode, RowFault, RowFaultCode } from './fault.ts';

export type FaultLanguage = 'en' | 'ja';

type Texts<Key extends string> = Readonly<Record<Key, Readonly<Record<FaultLanguage, string>>>>;

const FILE_FAULTS: Texts<FileFaultCode> = {
  empty: { en: 'The file is empty.', ja: 'ファイルが空です。' },
  too_large: {
    en: 'The file is larger than 8 MB. Split it into several files.',
    ja: 'ファイルが 8 MB を超えています。分割してください。',
  },
  workbook: {
    en: 'This is a spreadsheet (Excel) or a ZIP archive. Save it as “CSV UTF-8” and choose that file.',
    ja: 'Excel などの表計算ファイルか ZIP です。「CSV UTF-8」で保存し、そのファイルを選んでください。',
  },
  compressed: {
    en: 'The file is compressed (gzip). Unpack it first.',
    ja: '圧縮ファイル（gzip）です。展開してから選んでください。',
  },
  web_page: {
    en: 'This is a web page, not CSV. Was the export downloaded while signed out?',
    ja: 'CSV ではなくウェブページです。サインアウトした状態で書き出していませんか。',
  },
  utf16: {
    en: 'The file is encoded in UTF-16 (“Unicode text”). Save it as “CSV UTF-8”.',
    ja: '文字コードが UTF-16（Unicode テキスト）です。「CSV UTF-8」で保存してください。',
  },
  binary: { en: 'The file is not text.', ja: 'テキストファイルではありません。' },
  encoding: {
    en: 'The file is neither UTF-8 nor Shift_JIS. Save it as “CSV UTF-8”.',
    ja: '文字コードが UTF-8 でも Shift_JIS でもありません。「CSV UTF-8」で保存してください。',
  },
  no_header: {
    en: 'The file has no header. Its first row must name the columns.',
    ja: '見出しがありません。1 行目に列名を書いてください。',
  },
  no_rows: {
    en: 'The file has a header but no rows.',
    ja: '見出しだけで、データの行がありません。',
  },
  too_many_rows: {
    en: 'The file has more than 50,000 rows. Split it into several files.',
    ja: '50,000 行を超えています。分割してください。',
  },
  too_many_columns: {
    en: 'The file has more than 100 columns. Delete the columns that are not needed.',
    ja: '列が 100 を超えています。不要な列を削除してください。',
  },
  bad_quote: {
    en: 'A quotation mark is in the middle of a cell. Double it and put the cell in quotation marks: "5"" binder".',
    ja: 'セルの途中に引用符（"）があります。二重にして、セル全体を引用符で囲んでください：「"5"" binder"」。',
  },
  open_quote: {
    en: 'A cell begins with a quotation mark, but the closing quotation mark is missing.',
    ja: '引用符（"）で始まるセルに、閉じる引用符がありません。',
  },
  record_too_long: {
    en: 'The row is too long. A quotation mark is probably missing.',
    ja: '行が長すぎます。引用符（"）が抜けている可能性があります。',
  },
  too_many_units: {
    en: 'With this row, the quantities of the file add up to more than 50,000 units. Is the right column the quantity? Otherwise split the file.',
    ja: 'この行で、ファイル全体の数量が 50,000 点を超えます。数量の列が正しいか確認し、正しければファイルを分割してください。',
  },
  shop_full: {
    en: 'With this row, the shop would have more units than the operator allows. Nothing was imported.',
    ja: 'この行で、在庫品の数が運営者の定めた上限を超えます。取り込みは行っていません。',
  },
  interrupted: {
    en: 'The service was interrupted twice while it processed this file, so it will not try again. Split the file, and contact the operator if that does not help.',
    ja: 'このファイルの処理中にサービスが 2 回中断したため、処理を中止しました。ファイルを分割してください。それでも処理できない場合は、運営者にご連絡ください。',
  },
};

const ROW_FAULTS: Texts<RowFaultCode> = {
  too_many_cells: {
    en: 'has more cells than the header. A cell with a comma needs quotation marks.',
    ja: '見出しよりセルが多くあります。カンマを含むセルは引用符（"）で囲んでください。',
  },
  cell_too_long: {
    en: 'has a cell with more than 32,767 characters.',
    ja: '32,767 文字を超えるセルがあります。',
  },
  control_characters: {
    en: 'contains a line break or another control character.',
    ja: '改行などの制御文字が含まれています。',
  },
  too_long: { en: 'is too long.', ja: '長すぎます。' },
  no_uuid: {
    en: 'is not a Cardport id.',
    ja: 'Cardport の ID ではありません。',
  },
  no_item: {
    en: 'is empty, and no other column says which card it is.',
    ja: '空です。ほかの列からもカードを特定できません。',
  },
  unknown_item: {
    en: 'matches no card or product in the catalog.',
    ja: 'カタログに一致するカード・商品がありません。',
  },
  ambiguous_item: {
    en: 'matches several cards. Choose one, or add set, number, language or finish.',
    ja: '複数のカードに一致します。選択するか、セット・番号・言語・仕上げを追加してください。',
  },
  unknown_condition: {
    en: 'is not a grade of the shop.',
    ja: 'このショップの状態・鑑定に登録されていません。',
  },
  unknown_language: { en: 'is not a language.', ja: '言語として読み取れません。' },
  no_quantity: {
    en: 'must be a whole number from 0 to 500.',
    ja: '0 から 500 までの整数で入力してください。',
  },
  too_many: {
    en: 'is more than 500. Split the row.',
    ja: '500 を超えています。行を分けてください。',
  },
  one_piece_only: {
    en: 'identifies a single piece, but the quantity is greater than 1.',
    ja: '1 点ごとの番号ですが、数量が 2 以上です。',
  },
  no_amount: { en: 'is not an amount.', ja: '金額として読み取れません。' },
  amount_digits: {
    en: 'has more decimal places than the currency.',
    ja: '通貨の小数点以下の桁数を超えています。',
  },
  amount_too_large: { en: 'is too large.', ja: '金額が大きすぎます。' },
  no_date: {
    en: 'is not a date such as 2026-11-23.',
    ja: '日付（例：2026-11-23）として読み取れません。',
  },
  no_ownership: {
    en: 'must be “owned” or “consigned”.',
    ja: '「自社」か「委託」を入力してください。',
  },
  no_site: {
    en: 'is empty. Choose a default place for the rows of the file.',
    ja: '空です。ファイル全体に適用する場所を選択してください。',
  },
  unknown_site: {
    en: 'is not an active site of the shop.',
    ja: 'このショップの有効な拠点ではありません。',
  },
  unknown_location: {
    en: 'is not an active location of the site.',
    ja: 'この拠点の有効な保管場所ではありません。',
  },
  unknown_unit: {
    en: 'is not a unit of the shop.',
    ja: 'このショップの在庫にありません。',
  },
  skipped: { en: 'was skipped, as chosen.', ja: '取り込まない設定になっています。' },
  shop_full: {
    en: 'could not be saved completely: from here on, the shop has as many units as the operator allows.',
    ja: 'すべては保存できませんでした。ここから先は、在庫品の数が運営者の定めた上限に達しています。',
  },
  not_written: { en: 'could not be saved.', ja: '保存できませんでした。' },
};

export const FIELD_NAMES: Texts<FileField> = {
  quantity: { en: 'Quantity', ja: '数量' },
  name: { en: 'Name', ja: 'カード名' },
  set: { en: 'Set', ja: 'セット' },
  number: { en: 'Card number', ja: 'カード番号' },
  language: { en: 'Language', ja: '言語' },
  finish: { en: 'Finish', ja: '仕上げ' },
  variant: { en: 'Variant', ja: 'バージョン' },
  jan: { en: 'JAN', ja: 'JANコード' },
  itemId: { en: 'Item ID', ja: '商品ID' },
  scryfallId: { en: 'Scryfall ID', ja: 'Scryfall ID' },
  pokemonTcgId: { en: 'Pokemon TCG ID', ja: 'Pokemon TCG ID' },
  tcgdexId: { en: 'TCGdex ID', ja: 'TCGdex ID' },
  ygoprodeckId: { en: 'YGOPRODeck ID', ja: 'YGOPRODeck ID' },
  tcgplayerId: { en: 'TCGplayer product ID', ja: 'TCGplayer 商品ID' },
  cardmarketId: { en: 'Cardmarket ID', ja: 'Cardmarket ID' },
  condition: { en: 'Condition', ja: '状態・鑑定' },
  certNumber: { en: 'Certificate number', ja: '鑑定番号' },
  serialNumber: { en: 'Serial number', ja: 'シリアル番号' },
  price: { en: 'Price', ja: '価格' },
  cost: { en: 'Cost', ja: '仕入値' },
  site: { en: 'Site', ja: '拠点' },
  location: { en: 'Location', ja: '保管場所' },
  ownership: { en: 'Ownership', ja: '所有' },
  acquiredAt: { en: 'Acquired', ja: '取得日' },
  playset: { en: 'Playset (4 copies)', ja: 'プレイセット（4 枚）' },
  rowKey: { en: 'Row key', ja: '行キー' },
  unitId: { en: 'Unit ID', ja: '在庫ID' },
};

/** Returns a sentence about a file, such as `Row 7: A cell begins with …`. */
export function fileFaultText({ code, row }: FileFault, language: FaultLanguage): string {
  const text = FILE_FAULTS[code][language];
  if (row === null) return text;
  return language === 'ja' ? `${row} 行目：${text}` : `Row ${row}: ${text}`;
}

/** Returns a sentence about a row, such as `Price “abc” is not an amount.` */
export function rowFaultText({ code, field, value }: RowFault, language: FaultLanguage): string {
  const text = ROW_FAULTS[code][language];
  const name =
    field === null ? (language === 'ja' ? '行' : 'The row') : FIELD_NAMES[field][language];
  if (code === 'not_written') return `${name} ${text} ${value}`;
  if (language === 'ja') return value === '' ? `${name}：${text}` : `${name}「${value}」：${text}`;
  return value === '' ? `${name} ${text}` : `${name} “${value}” ${text}`;
}
