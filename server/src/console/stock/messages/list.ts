import type { PhotoSide } from '../../../inventory/unit-photo.ts';
import { defineMessages, type Message } from '../../../html/messages.ts';
import { consoleMessages, sharedMessages } from '../../shared-messages.ts';

export const stockListMessages = consoleMessages({
  receive: { en: 'Receive units', ja: '入庫' },
  import: { en: 'Import CSV', ja: 'CSV 取り込み' },
  export: { en: 'Export CSV', ja: 'CSV 出力' },
  searchHint: {
    en: 'Name (also in kana), card number, JAN, certificate or serial number, unit ID.',
    ja: '名前（かな可）・カード番号・JAN・鑑定番号・シリアル番号・在庫 ID で検索できます。',
  },
  anySite: { en: 'All sites', ja: 'すべての拠点' },
  anyGrade: { en: 'All grades', ja: 'すべての状態・鑑定' },
  clear: { en: 'Clear filters', ja: '条件をクリア' },
  statuses: { en: 'Statuses', ja: 'ステータス' },
  all: { en: 'All', ja: 'すべて' },
  sellable: { en: 'In stock and reserved', ja: '在庫あり・取り置き中' },
  /** A count that stopped at its limit. */
  atLeast: { en: (units: string) => `${units}+`, ja: (units: string) => `${units} 以上` },
  /** Tells assistive technology what a search found while the member types. */
  told: {
    en: (units: number, more: boolean) =>
      units === 0
        ? 'No results.'
        : `${more ? 'More than ' : ''}${units} ${units === 1 ? 'unit' : 'units'}.`,
    ja: (units: number, more: boolean) =>
      units === 0 ? '見つかりませんでした。' : `${units} 点${more ? '以上' : ''}`,
  },
  /** The name of the filtered place or item is null if the page does not know it. */
  only: {
    en: (name: string | null) =>
      name === null ? 'Showing only part of the stock.' : `Showing only “${name}”.`,
    ja: (name: string | null) =>
      name === null
        ? '在庫の一部だけを表示しています。'
        : `「${name}」の在庫だけを表示しています。`,
  },
  caption: { en: 'Units', ja: '在庫品' },
  item: { en: 'Item', ja: '品名' },
  changed: { en: 'Changed', ja: '更新' },
  choose: { en: (name: string) => `Select ${name}`, ja: (name: string) => `「${name}」を選択` },
  found: {
    exact: {
      en: (units: number) =>
        `${units === 1 ? 'The first unit has' : `The first ${units} units have`} this ID, certificate number or serial number.`,
      ja: (units: number) =>
        `先頭の ${units} 点は、ID・鑑定番号・シリアル番号が一致した在庫品です。`,
    },
    too_long: { en: 'Enter at most 150 characters.', ja: '150 文字以内で検索してください。' },
    unavailable: sharedMessages.searchBusy,
    shortPage: {
      en: 'There may be more on the next page.',
      ja: '次のページに続きがある場合があります。',
    },
  },
  emptyTitle: { en: 'No stock yet', ja: '在庫はまだありません' },
  emptyText: {
    en: 'Units that you receive here or that your till sends appear in this list.',
    ja: 'この画面で入庫した在庫品や、レジから登録された在庫品がここに表示されます。',
  },
  nothingTitle: { en: 'No results', ja: '見つかりませんでした' },
  nothingText: {
    en: 'No units match your search and filters.',
    ja: '検索条件に合う在庫品はありません。',
  },
  chosen: { en: 'Selected units', ja: '選択した在庫品をまとめて変更' },
  chosenHint: {
    en: 'Units that cannot be changed are listed with the reason. The others are changed.',
    ja: '変更できない在庫品は理由とともに表示し、ほかの在庫品だけを変更します。',
  },
  chosenCount: {
    en: (units: string) => `${units} selected`,
    ja: (units: string) => `${units} 点選択中`,
  },
  choosePlace: { en: 'Select a place', ja: '移動先を選択' },
  bulkFaults: { en: 'Nothing was changed', ja: '変更できませんでした' },
  moveTo: { en: 'Move to', ja: '移動先' },
  move: { en: 'Move', ja: '移動する' },
});

export const bulkMessages = consoleMessages({
  title: { en: 'Change several units', ja: '在庫品の一括変更' },
  nothingChosen: { en: 'Select at least one unit.', ja: '在庫品を 1 点以上選択してください。' },
  noPlace: { en: 'Select where to move the units.', ja: '移動先を選択してください。' },
  done: {
    en: (changed: number, same: number) =>
      `${changed} changed.${same === 0 ? '' : ` ${same} already up to date.`}`,
    ja: (changed: number, same: number) =>
      `${changed} 点を変更しました。${same === 0 ? '' : `${same} 点は変更の必要がありませんでした。`}`,
  },
  refused: {
    en: (count: number) =>
      count === 1 ? '1 unit was not changed' : `${count} units were not changed`,
    ja: (count: number) => `${count} 点は変更できませんでした`,
  },
  unit: { en: 'Unit', ja: '在庫品' },
  reason: { en: 'Reason', ja: '理由' },
  asks: {
    en: (units: number) => (units === 1 ? 'Write off 1 unit?' : `Write off ${units} units?`),
    ja: (units: number) => `${units} 点を除却しますか？`,
  },
  units: {
    en: (units: number) => (units === 1 ? '1 unit' : `${units} units`),
    ja: (units: number) => `${units} 点の在庫品`,
  },
});

export const itemCellMessages = defineMessages({
  side: {
    front: { en: 'Front', ja: '表面' },
    back: { en: 'Back', ja: '裏面' },
  } satisfies Readonly<Record<PhotoSide, Message>>,
  cert: { en: (number: string) => `cert. ${number}`, ja: (number: string) => `鑑定番号 ${number}` },
  serial: {
    en: (number: string) => `serial ${number}`,
    ja: (number: string) => `シリアル番号 ${number}`,
  },
  photoOf: {
    en: (side: PhotoSide, name: string) => `${side === 'front' ? 'Front' : 'Back'} of ${name}`,
    ja: (side: PhotoSide, name: string) => `「${name}」の${side === 'front' ? '表面' : '裏面'}`,
  },
});

/** The label of the button that moves a unit to a status. */
export const statusActionMessages = defineMessages({
  reserved: { en: 'Reserve', ja: '取り置きにする' },
  in_transit: { en: 'Mark as in transit', ja: '移動中にする' },
  grading: { en: 'Send to grading', ja: '鑑定に出す' },
  sold: { en: 'Mark as sold', ja: '販売済みにする' },
  returned: { en: 'Mark as returned', ja: '返却済みにする' },
  written_off: { en: 'Write off', ja: '除却する' },
  voided: { en: 'Void', ja: '登録を取り消す' },
});

/** The label of the button that moves a unit back into stock, by the unit's current status. */
export const backToStockMessages = defineMessages({
  reserved: { en: 'Release', ja: '取り置き解除' },
  in_transit: { en: 'Mark as arrived', ja: '到着済みにする' },
  grading: { en: 'Mark as back from grading', ja: '鑑定から戻す' },
  sold: { en: 'Undo sale', ja: '販売を取り消す' },
  written_off: { en: 'Undo write-off', ja: '除却を取り消す' },
});

/** Columns of an exported file that an import ignores. */
export const stockFileMessages = consoleMessages({
  status: { en: 'Status', ja: 'ステータス' },
  currency: { en: 'Currency', ja: '通貨' },
  acquired: { en: 'Acquired on', ja: '仕入れた日' },
});
