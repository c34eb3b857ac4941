import type { Language } from '../../pages/language.ts';

/** The words of the list of stock. */
export interface ListWords {
  readonly title: string;
  readonly receive: string;
  readonly search: string;
  readonly searchHint: string;
  readonly site: string;
  readonly anySite: string;
  readonly grade: string;
  readonly anyGrade: string;
  readonly find: string;
  readonly clear: string;
  readonly statuses: string;
  readonly all: string;
  /** Of what only is shown; null where that has no name here. */
  readonly only: (name: string | null) => string;
  readonly caption: string;
  readonly item: string;
  readonly status: string;
  readonly place: string;
  readonly price: string;
  readonly changed: string;
  readonly choose: (name: string) => string;
  readonly noGrade: string;
  readonly found: Readonly<Record<'exact' | 'too_long' | 'unavailable' | 'shortPage', string>>;
  readonly emptyTitle: string;
  readonly emptyText: string;
  readonly nothingTitle: string;
  readonly nothingText: string;
  readonly chosen: string;
  readonly chosenHint: string;
  readonly chosenCount: (units: string) => string;
  readonly choosePlace: string;
  readonly bulkFaults: string;
  readonly moveTo: string;
  readonly move: string;
}

export const LIST_WORDS: Readonly<Record<Language, ListWords>> = {
  en: {
    title: 'Stock',
    receive: 'Receive',
    search: 'Search',
    searchHint: 'Name or number of a card, certificate, serial number or unit id.',
    site: 'Site',
    anySite: 'All sites',
    grade: 'Grade',
    anyGrade: 'All grades',
    find: 'Search',
    clear: 'Show everything',
    statuses: 'Statuses',
    all: 'All',
    only: (name) =>
      name === null ? 'Only a part of the stock is shown.' : `Only “${name}” is shown.`,
    caption: 'Units, the newest change first',
    item: 'Item',
    status: 'Status',
    place: 'Place',
    price: 'Price',
    changed: 'Changed',
    choose: (name) => `Choose: ${name}`,
    noGrade: 'Ungraded',
    found: {
      exact: 'Found by its id, certificate or serial number.',
      too_long: 'Search for at most 150 characters.',
      unavailable: 'The search is busy. Try again in a moment.',
      shortPage: 'There may be more on the next page.',
    },
    emptyTitle: 'No stock yet',
    emptyText: 'What you receive here, or your till sends, appears in this list.',
    nothingTitle: 'Nothing was found',
    nothingText: 'No unit matches the search and the filters.',
    chosen: 'With the chosen units',
    chosenHint: 'Units that cannot be changed are listed with the reason; the others are changed.',
    chosenCount: (units) => `${units} chosen`,
    choosePlace: 'Choose a place',
    bulkFaults: 'Nothing was changed',
    moveTo: 'Move to',
    move: 'Move',
  },
  ja: {
    title: '在庫',
    receive: '入庫',
    search: '検索',
    searchHint: 'カードの名前・番号、鑑定番号、シリアル番号、在庫品 ID で検索できます。',
    site: '拠点',
    anySite: 'すべての拠点',
    grade: 'グレード',
    anyGrade: 'すべてのグレード',
    find: '検索',
    clear: 'すべて表示',
    statuses: '状態',
    all: 'すべて',
    only: (name) =>
      name === null
        ? '在庫の一部だけを表示しています。'
        : `「${name}」の在庫だけを表示しています。`,
    caption: '在庫品（変更の新しい順）',
    item: '品名',
    status: '状態',
    place: '場所',
    price: '価格',
    changed: '変更',
    choose: (name) => `「${name}」を選択`,
    noGrade: '未鑑定',
    found: {
      exact: 'ID・鑑定番号・シリアル番号が一致しました。',
      too_long: '検索できるのは 150 文字までです。',
      unavailable: '検索が混み合っています。しばらくしてからもう一度お試しください。',
      shortPage: '一度に調べられる範囲を表示しました。続きは次のページにあります。',
    },
    emptyTitle: '在庫はまだありません',
    emptyText: 'ここで入庫したもの、レジから送られたものがこの一覧に表示されます。',
    nothingTitle: '見つかりませんでした',
    nothingText: '検索や絞り込みに合う在庫品はありません。',
    chosen: '選択した在庫品をまとめて変更',
    chosenHint: '変更できない在庫品は、その理由をお知らせします。ほかの在庫品は変更されます。',
    chosenCount: (units) => `${units} 点選択中`,
    choosePlace: '移動先を選ぶ',
    bulkFaults: '変更できませんでした',
    moveTo: '移動先',
    move: '移動する',
  },
};
