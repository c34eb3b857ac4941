import type { LocationKind } from '../../inventory/location.ts';
import type { SiteKind } from '../../inventory/site.ts';
import type { Language } from '../../pages/language.ts';

/** The words of the pages of sites and locations. */
export interface PlaceWords {
  readonly title: string;
  readonly addSite: string;
  readonly addLocation: string;
  readonly editSite: string;
  readonly editLocation: string;
  readonly site: string;
  readonly location: string;
  readonly locations: string;
  readonly kind: string;
  readonly siteKinds: Readonly<Record<SiteKind, string>>;
  readonly locationKinds: Readonly<Record<LocationKind, string>>;
  readonly code: string;
  readonly codeHint: string;
  readonly name: string;
  readonly country: string;
  readonly countryHint: string;
  readonly timezone: string;
  readonly timezoneHint: string;
  readonly isActive: string;
  readonly isActiveHint: string;
  readonly active: string;
  readonly inactive: string;
  readonly state: string;
  readonly inStock: string;
  readonly allUnits: string;
  readonly orMore: (count: string) => string;
  readonly showUnits: string;
  readonly details: string;
  readonly edit: string;
  readonly save: string;
  readonly cancel: string;
  readonly faults: string;
  readonly noCode: string;
  readonly noName: string;
  readonly noCountry: string;
  readonly noTimezone: string;
  readonly noKind: string;
  readonly conflict: (detail: string) => string;
  readonly stale: string;
  readonly now: (value: string) => string;
  readonly emptyTitle: string;
  readonly emptyText: string;
  readonly noLocations: string;
  readonly caption: string;
}

export const PLACE_WORDS: Readonly<Record<Language, PlaceWords>> = {
  en: {
    title: 'Places',
    addSite: 'Add a site',
    addLocation: 'Add a location',
    editSite: 'Edit the site',
    editLocation: 'Edit the location',
    site: 'Site',
    location: 'Location',
    locations: 'Locations',
    kind: 'Kind',
    siteKinds: {
      store: 'Store',
      warehouse: 'Warehouse',
      event: 'Event',
      online: 'Online',
      other: 'Other',
    },
    locationKinds: {
      showcase: 'Showcase',
      shelf: 'Shelf',
      storage: 'Storage',
      safe: 'Safe',
      counter: 'Counter',
      transit: 'Transit',
      other: 'Other',
    },
    code: 'Code',
    codeHint: 'Short, as on labels; at most 64 characters.',
    name: 'Name',
    country: 'Country code',
    countryHint: 'Two letters of ISO 3166-1, such as JP.',
    timezone: 'Time zone',
    timezoneHint:
      'A name such as Asia/Tokyo. The times of these pages are those of the oldest site in use.',
    isActive: 'In use',
    isActiveHint: 'A place that is not in use keeps its units and is no longer offered in forms.',
    active: 'In use',
    inactive: 'Not in use',
    state: 'Status',
    inStock: 'Units in stock',
    allUnits: 'Units recorded',
    orMore: (count) => `${count} or more`,
    showUnits: 'Show the units',
    details: 'Details',
    edit: 'Edit',
    save: 'Save',
    cancel: 'Cancel',
    faults: 'The form was not saved',
    noCode: 'Enter a code of 1 to 64 characters.',
    noName: 'Enter a name of 1 to 200 characters.',
    noCountry: 'Enter a valid country code, such as JP.',
    noTimezone: 'Choose a time zone from the list, such as Asia/Tokyo.',
    noKind: 'Choose a kind.',
    conflict: (detail) => `Not possible: ${detail}.`,
    stale:
      'Somebody changed this while you were editing. Compare the values below; saving again keeps yours.',
    now: (value) => `Now it is: ${value}`,
    emptyTitle: 'No sites yet',
    emptyText: 'A site is a store, a warehouse or a stall. Stock is kept at sites.',
    noLocations: 'This site has no locations yet. Shelves and showcases are locations.',
    caption: 'Sites by code',
  },
  ja: {
    title: '拠点・保管場所',
    addSite: '拠点を追加',
    addLocation: '保管場所を追加',
    editSite: '拠点の編集',
    editLocation: '保管場所の編集',
    site: '拠点',
    location: '保管場所',
    locations: '保管場所',
    kind: '種類',
    siteKinds: {
      store: '店舗',
      warehouse: '倉庫',
      event: 'イベント',
      online: 'オンライン',
      other: 'その他',
    },
    locationKinds: {
      showcase: 'ショーケース',
      shelf: '棚',
      storage: '保管庫',
      safe: '金庫',
      counter: 'カウンター',
      transit: '移送用',
      other: 'その他',
    },
    code: 'コード',
    codeHint: 'ラベルに使う短い名前です。64 文字までです。',
    name: '名前',
    country: '国コード',
    countryHint: 'ISO 3166-1 の 2 文字です（例：JP）。',
    timezone: 'タイムゾーン',
    timezoneHint:
      'Asia/Tokyo のような名前です。画面の時刻は、使用中で最も古い拠点のタイムゾーンで表示します。',
    isActive: '使用中',
    isActiveHint:
      '使用しない場所の在庫品はそのまま残り、入力画面の選択肢には表示されなくなります。',
    active: '使用中',
    inactive: '使用停止中',
    state: '状態',
    inStock: '在庫数',
    allUnits: '累計登録数',
    orMore: (count) => `${count} 点以上`,
    showUnits: '在庫品を表示',
    details: '詳細',
    edit: '編集',
    save: '保存する',
    cancel: 'キャンセル',
    faults: '保存できませんでした',
    noCode: 'コードを 1〜64 文字で入力してください。',
    noName: '名前を 1〜200 文字で入力してください。',
    noCountry: '正しい国コードを入力してください（例：JP）。',
    noTimezone: '一覧からタイムゾーンを選んでください（例：Asia/Tokyo）。',
    noKind: '種類を選んでください。',
    conflict: (detail) => `変更できません（${detail}）。`,
    stale:
      '編集中に、ほかの人が変更しました。下の値を確認してください。もう一度保存すると、入力した値になります。',
    now: (value) => `現在の値：${value}`,
    emptyTitle: '拠点はまだありません',
    emptyText: '店舗・倉庫・イベントブースなどが拠点です。在庫品は拠点に保管します。',
    noLocations: 'この拠点に保管場所はまだありません。棚やショーケースが保管場所です。',
    caption: '拠点（コード順）',
  },
};
