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
  readonly inLocation: string;
  readonly ofItem: string;
  readonly caption: string;
  readonly item: string;
  readonly status: string;
  readonly place: string;
  readonly price: string;
  readonly changed: string;
  readonly choose: string;
  readonly noGrade: string;
  readonly found: Readonly<Record<'exact' | 'too_long' | 'unavailable' | 'shortPage', string>>;
  readonly emptyTitle: string;
  readonly emptyText: string;
  readonly nothingTitle: string;
  readonly nothingText: string;
  readonly chosen: string;
  readonly chosenHint: string;
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
    inLocation: 'Only one location is shown.',
    ofItem: 'Only one card or product is shown.',
    caption: 'Units, the newest change first',
    item: 'Item',
    status: 'Status',
    place: 'Place',
    price: 'Price',
    changed: 'Changed',
    choose: 'Choose',
    noGrade: 'Ungraded',
    found: {
      exact: 'Found by its id, certificate or serial number.',
      too_long: 'Search for at most 150 characters.',
      unavailable: 'The search is busy. Try again in a moment.',
      shortPage: 'There may be more on the next page: this one has looked at as much as one may.',
    },
    emptyTitle: 'No stock yet',
    emptyText: 'What you receive here, or your till sends, appears in this list.',
    nothingTitle: 'Nothing was found',
    nothingText: 'No unit fits the search and the filters.',
    chosen: 'With the chosen units',
    chosenHint: 'What a unit does not allow is told for each; the others are changed.',
    moveTo: 'Move to',
    move: 'Move',
  },
  ja: {
    title: '在庫',
    receive: '入庫',
    search: '検索',
    searchHint: 'カードの名前・番号、鑑定番号、シリアル番号、在庫品IDで検索できます。',
    site: '拠点',
    anySite: 'すべての拠点',
    grade: 'グレード',
    anyGrade: 'すべてのグレード',
    find: '検索する',
    clear: 'すべて表示',
    statuses: '状態',
    all: 'すべて',
    inLocation: 'ひとつの保管場所だけを表示しています。',
    ofItem: 'ひとつのカードまたは商品だけを表示しています。',
    caption: '在庫品(変更の新しい順)',
    item: '品名',
    status: '状態',
    place: '場所',
    price: '価格',
    changed: '変更',
    choose: '選択',
    noGrade: '未鑑定',
    found: {
      exact: 'ID・鑑定番号・シリアル番号で見つかりました。',
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
    moveTo: '移動先',
    move: '移動する',
  },
};
