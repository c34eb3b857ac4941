import type { FileField } from '../../../stock-file/columns.ts';
import type { ImportState } from '../../../stock-file/stock-import.ts';
import type { Message } from '../../../html/messages.ts';
import { consoleMessages } from '../../shared-messages.ts';

const STATES = {
  checking: { en: 'Being checked', ja: '確認中' },
  checked: { en: 'Ready to import', ja: '取り込みの準備完了' },
  importing: { en: 'Being imported', ja: '取り込み中' },
  done: { en: 'Imported', ja: '取り込み済み' },
  failed: { en: 'Failed', ja: '失敗' },
} satisfies Readonly<Record<ImportState, Message>>;

export const importMessages = consoleMessages({
  title: { en: 'Import stock from a file', ja: 'ファイルから在庫を取り込む' },
  lead: {
    en: 'A CSV file with one row for each card or product: your own list, or an export of TCGplayer, Cardmarket, Shopify or Square. Stock is not changed until you confirm the import.',
    ja: '1 行に 1 つのカード・商品を記載した CSV ファイルです。自店の一覧のほか、TCGplayer・Cardmarket・Shopify・Square からエクスポートしたファイルも使えます。取り込む内容を確認するまで、在庫は変更されません。',
  },
  help: { en: 'Which columns are recognized', ja: '使える列の一覧' },
  file: { en: 'File', ja: 'ファイル' },
  fileHint: {
    en: 'CSV in UTF-8 or Shift_JIS, up to 8 MB, 50,000 rows and 50,000 units.',
    ja: 'CSV（UTF-8・Shift_JIS）、8 MB・50,000 行・50,000 点まで',
  },
  place: { en: 'Place for rows without a place', ja: '場所の記載がない行の場所' },
  noPlace: { en: 'None: every row names its site', ja: 'なし（すべての行に拠点の記載あり）' },
  kind: { en: 'Type of file', ja: 'ファイルの内容' },
  list: {
    en: 'A stock list: rows that were also in an earlier file refer to the same units',
    ja: '在庫の一覧（以前のファイルと同じ行は同じ在庫品として扱います）',
  },
  delivery: {
    en: 'A delivery: every row is new stock',
    ja: '入荷（すべての行を新しい在庫品として登録します）',
  },
  upload: { en: 'Check the file', ja: 'ファイルを確認する' },
  fault: { en: 'The file cannot be imported.', ja: 'このファイルは取り込めません。' },
  errors: {
    empty: {
      en: 'Choose a file that is not empty.',
      ja: '空のファイルは取り込めません。別のファイルを選んでください。',
    },
    too_large: {
      en: 'The file is larger than 8 MB. Split it into several files.',
      ja: 'ファイルが 8 MB を超えています。分割してください。',
    },
    again: {
      en: 'The file did not arrive completely. Try again.',
      ja: 'ファイルを最後まで受信できませんでした。もう一度お試しください。',
    },
  },
  recent: { en: 'Files of the last 24 hours', ja: '過去 24 時間のファイル' },
  uploaded: { en: 'Uploaded', ja: 'アップロード' },
  state: { en: 'Status', ja: '状態' },
  states: STATES,
  rows: {
    en: (done: string, total: string) => `${done} of ${total} rows`,
    ja: (done: string, total: string) => `${total} 行中 ${done} 行`,
  },
  queued: {
    en: 'Other files are processed first.',
    ja: 'ほかのファイルの処理が終わるのを待っています。',
  },
  outgrows: {
    en: (created: string, units: string) =>
      `This file adds ${created} units, more than the shop has ever had (${units}). Is the right column the quantity?`,
    ja: (created: string, units: string) =>
      `このファイルで ${created} 点が追加されます。これまでに登録された ${units} 点より多くなります。数量の列が正しいか確認してください。`,
  },
  waiting: {
    en: 'This page refreshes automatically. You can leave it: processing continues.',
    ja: 'このページは自動で更新されます。ページを離れても処理は続きます。',
  },
  counts: {
    created: { en: 'New units', ja: '新しい在庫品' },
    changed: { en: 'Units that change', ja: '変更される在庫品' },
    unchanged: { en: 'Unchanged units', ja: '変更のない在庫品' },
    left: {
      en: 'Units already sold or removed (not changed)',
      ja: '販売済みなど（変更しません）',
    },
    rowsWithoutUnits: { en: 'Rows with quantity 0', ja: '数量が 0 の行' },
    rowsRefused: { en: 'Rows with errors (not imported)', ja: '問題があり取り込まない行' },
    rowsOpen: { en: 'Rows with questions', ja: '確認が必要な行' },
  },
  apply: { en: 'Import', ja: '取り込む' },
  nothing: {
    en: 'There is nothing to import: no row would change the stock.',
    ja: '取り込む内容がありません。在庫を変更する行がないためです。',
  },
  discard: { en: 'Discard', ja: '破棄する' },
  faults: { en: 'Rows that will not be imported', ja: '取り込まない行' },
  faultsShown: {
    en: (shown: number) => `Showing the first ${shown} errors.`,
    ja: (shown: number) => `最初の ${shown} 件を表示しています。`,
  },
  row: { en: 'Row', ja: '行' },
  problem: { en: 'Problem', ja: '問題' },
  rejected: { en: 'Download these rows', ja: '該当する行をダウンロード' },
  columns: { en: 'Match columns to fields', ja: '列の割り当て' },
  column: { en: 'Column', ja: '列' },
  ignored: { en: 'Ignored', ja: '使用しない' },
  questions: { en: 'Questions', ja: '確認事項' },
  choose: { en: 'Do not import these rows for now', ja: '今回は取り込まない' },
  skip: { en: 'None of these: skip these rows', ja: '該当なし（これらの行を除外）' },
  noGrade: { en: 'Without a grade', ja: '鑑定・状態なし' },
  questionOf: {
    en: (text: string, rows: number) => `“${text}” (${rows} ${rows === 1 ? 'row' : 'rows'})`,
    ja: (text: string, rows: number) => `「${text}」（${rows} 行）`,
  },
  checkAgain: { en: 'Check again', ja: 'もう一度確認する' },
  done: { en: 'The file was imported.', ja: 'ファイルを取り込みました。' },
  failed: {
    en: 'The file could not be processed. Upload it again. If that fails too, contact the operator.',
    ja: 'ファイルを処理できませんでした。もう一度アップロードしてください。それでも処理できない場合は、運営者にご連絡ください。',
  },
  toStock: { en: 'View the stock', ja: '在庫を見る' },
  another: { en: 'Import another file', ja: '別のファイルを取り込む' },
});

/** The fields of a file that contain costs. */
export const COST_FIELDS: readonly FileField[] = ['cost'];
