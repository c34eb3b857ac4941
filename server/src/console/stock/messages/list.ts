import type { PhotoSide } from '../../../inventory/unit-photo.ts';
import { defineMessages, type Message } from '../../../pages/messages.ts';
import { consoleMessages, shared } from '../../shared-messages.ts';

export const stockListMessages = consoleMessages({
  receive: { en: 'Receive', ja: '入庫' },
  searchHint: {
    en: 'Name or number of a card, certificate, serial number or unit id.',
    ja: 'カードの名前・番号、鑑定番号、シリアル番号、在庫品 ID で検索できます。',
  },
  anySite: { en: 'All sites', ja: 'すべての拠点' },
  anyGrade: { en: 'All grades', ja: 'すべてのグレード' },
  clear: { en: 'Show everything', ja: 'すべて表示' },
  statuses: { en: 'Statuses', ja: '状態' },
  all: { en: 'All', ja: 'すべて' },
  /** The place or item that the list is filtered by; null when its name is not known here. */
  only: {
    en: (name: string | null) =>
      name === null ? 'Only a part of the stock is shown.' : `Only “${name}” is shown.`,
    ja: (name: string | null) =>
      name === null
        ? '在庫の一部だけを表示しています。'
        : `「${name}」の在庫だけを表示しています。`,
  },
  caption: { en: 'Units, the newest change first', ja: '在庫品（変更の新しい順）' },
  item: { en: 'Item', ja: '品名' },
  changed: { en: 'Changed', ja: '変更' },
  choose: { en: (name: string) => `Choose: ${name}`, ja: (name: string) => `「${name}」を選択` },
  found: {
    exact: {
      en: 'Found by its id, certificate or serial number.',
      ja: 'ID・鑑定番号・シリアル番号が一致しました。',
    },
    too_long: { en: 'Search for at most 150 characters.', ja: '検索できるのは 150 文字までです。' },
    unavailable: shared.searchBusy,
    shortPage: {
      en: 'There may be more on the next page.',
      ja: '一度に調べられる範囲を表示しました。続きは次のページにあります。',
    },
  },
  emptyTitle: { en: 'No stock yet', ja: '在庫はまだありません' },
  emptyText: {
    en: 'What you receive here, or your till sends, appears in this list.',
    ja: 'ここで入庫したもの、レジから送られたものがこの一覧に表示されます。',
  },
  nothingTitle: { en: 'Nothing was found', ja: '見つかりませんでした' },
  nothingText: {
    en: 'No unit matches the search and the filters.',
    ja: '検索や絞り込みに合う在庫品はありません。',
  },
  chosen: { en: 'With the chosen units', ja: '選択した在庫品をまとめて変更' },
  chosenHint: {
    en: 'Units that cannot be changed are listed with the reason; the others are changed.',
    ja: '変更できない在庫品は、その理由をお知らせします。ほかの在庫品は変更されます。',
  },
  chosenCount: {
    en: (units: string) => `${units} chosen`,
    ja: (units: string) => `${units} 点選択中`,
  },
  choosePlace: { en: 'Choose a place', ja: '移動先を選ぶ' },
  bulkFaults: { en: 'Nothing was changed', ja: '変更できませんでした' },
  moveTo: { en: 'Move to', ja: '移動先' },
  move: { en: 'Move', ja: '移動する' },
});

export const bulkMessages = consoleMessages({
  title: { en: 'Change several units', ja: '在庫品の一括変更' },
  nothingChosen: { en: 'Tick at least one unit.', ja: '在庫品を 1 点以上選んでください。' },
  noPlace: { en: 'Choose where the units go.', ja: '移動先を選んでください。' },
  done: {
    en: (changed: number, same: number) =>
      `${changed} changed.${same === 0 ? '' : ` ${same} were already so.`}`,
    ja: (changed: number, same: number) =>
      `${changed} 点を変更しました。${same === 0 ? '' : `${same} 点はすでにその状態でした。`}`,
  },
  refused: {
    en: (count: number) =>
      count === 1 ? '1 unit was not changed' : `${count} units were not changed`,
    ja: (count: number) => `${count} 点は変更できませんでした`,
  },
  unit: { en: 'Unit', ja: '在庫品' },
  reason: { en: 'Why', ja: '理由' },
  asks: {
    en: (units: number) => (units === 1 ? 'Write off 1 unit?' : `Write off ${units} units?`),
    ja: (units: number) => `${units} 点を廃棄しますか？`,
  },
  units: {
    en: (units: number) => (units === 1 ? '1 unit' : `${units} units`),
    ja: (units: number) => `${units} 点の在庫品`,
  },
});

export const itemCellMessages = defineMessages({
  side: {
    front: { en: 'Front', ja: '表' },
    back: { en: 'Back', ja: '裏' },
  } satisfies Readonly<Record<PhotoSide, Message>>,
  cert: { en: (number: string) => `cert. ${number}`, ja: (number: string) => `鑑定番号 ${number}` },
  serial: {
    en: (number: string) => `serial ${number}`,
    ja: (number: string) => `シリアル番号 ${number}`,
  },
  photoOf: {
    en: (side: PhotoSide, name: string) => `${side === 'front' ? 'Front' : 'Back'} of ${name}`,
    ja: (side: PhotoSide, name: string) => `「${name}」の${side === 'front' ? '表' : '裏'}面`,
  },
});

/** The label of the button that moves a unit to a status. */
export const statusActionMessages = defineMessages({
  reserved: { en: 'Reserve', ja: '取り置きにする' },
  in_transit: { en: 'Send in transit', ja: '移送に出す' },
  grading: { en: 'Send to grading', ja: '鑑定に出す' },
  sold: { en: 'Sell', ja: '販売済みにする' },
  returned: { en: 'Mark as returned', ja: '返却する' },
  written_off: { en: 'Write off', ja: '廃棄する' },
  voided: { en: 'Void', ja: '無効にする' },
});

/** The same for moves back into stock, by the unit's current status. */
export const backToStockMessages = defineMessages({
  reserved: { en: 'Release', ja: '取り置きを解除' },
  in_transit: { en: 'Mark as arrived', ja: '到着済みにする' },
  grading: { en: 'Back from grading', ja: '鑑定から戻す' },
  sold: { en: 'Undo the sale', ja: '販売を取り消す' },
  written_off: { en: 'Undo the write-off', ja: '廃棄を取り消す' },
});
