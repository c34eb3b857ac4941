import type { LocationKind } from '../../inventory/location.ts';
import type { SiteKind } from '../../inventory/site.ts';
import { defineMessages, type Message } from '../../pages/messages.ts';
import { shared } from '../shared-messages.ts';

export const placeMessages = defineMessages({
  title: { en: 'Places', ja: '拠点・保管場所' },
  addSite: { en: 'Add a site', ja: '拠点を追加' },
  addLocation: { en: 'Add a location', ja: '保管場所を追加' },
  editSite: { en: 'Edit the site', ja: '拠点の編集' },
  editLocation: { en: 'Edit the location', ja: '保管場所の編集' },
  site: shared.site,
  location: { en: 'Location', ja: '保管場所' },
  locations: { en: 'Locations', ja: '保管場所' },
  kind: { en: 'Kind', ja: '種類' },
  siteKinds: {
    store: { en: 'Store', ja: '店舗' },
    warehouse: { en: 'Warehouse', ja: '倉庫' },
    event: { en: 'Event', ja: 'イベント' },
    online: { en: 'Online', ja: 'オンライン' },
    other: { en: 'Other', ja: 'その他' },
  } satisfies Readonly<Record<SiteKind, Message>>,
  locationKinds: {
    showcase: { en: 'Showcase', ja: 'ショーケース' },
    shelf: { en: 'Shelf', ja: '棚' },
    storage: { en: 'Storage', ja: '保管庫' },
    safe: { en: 'Safe', ja: '金庫' },
    counter: { en: 'Counter', ja: 'カウンター' },
    transit: { en: 'Transit', ja: '移送用' },
    other: { en: 'Other', ja: 'その他' },
  } satisfies Readonly<Record<LocationKind, Message>>,
  code: { en: 'Code', ja: 'コード' },
  codeHint: {
    en: 'Short, as on labels; at most 64 characters.',
    ja: 'ラベルに使う短い名前です。64 文字までです。',
  },
  name: shared.name,
  country: { en: 'Country code', ja: '国コード' },
  countryHint: {
    en: 'Two letters of ISO 3166-1, such as JP.',
    ja: 'ISO 3166-1 の 2 文字です（例：JP）。',
  },
  timezone: { en: 'Time zone', ja: 'タイムゾーン' },
  timezoneHint: {
    en: 'A name such as Asia/Tokyo. The times of these pages are those of the oldest site in use.',
    ja: 'Asia/Tokyo のような名前です。画面の時刻は、使用中で最も古い拠点のタイムゾーンで表示します。',
  },
  isActive: { en: 'In use', ja: '使用中' },
  isActiveHint: {
    en: 'A place that is not in use keeps its units and is no longer offered in forms.',
    ja: '使用しない場所の在庫品はそのまま残り、入力画面の選択肢には表示されなくなります。',
  },
  active: { en: 'In use', ja: '使用中' },
  inactive: { en: 'Not in use', ja: '使用停止中' },
  state: shared.status,
  inStock: { en: 'Units in stock', ja: '在庫数' },
  allUnits: { en: 'Units recorded', ja: '累計登録数' },
  orMore: { en: (count: string) => `${count} or more`, ja: (count: string) => `${count} 点以上` },
  showUnits: { en: 'Show the units', ja: '在庫品を表示' },
  details: shared.details,
  edit: shared.edit,
  noCode: {
    en: 'Enter a code of 1 to 64 characters.',
    ja: 'コードを 1〜64 文字で入力してください。',
  },
  noName: {
    en: 'Enter a name of 1 to 200 characters.',
    ja: '名前を 1〜200 文字で入力してください。',
  },
  noCountry: {
    en: 'Enter a valid country code, such as JP.',
    ja: '正しい国コードを入力してください（例：JP）。',
  },
  noTimezone: {
    en: 'Choose a time zone from the list, such as Asia/Tokyo.',
    ja: '一覧からタイムゾーンを選んでください（例：Asia/Tokyo）。',
  },
  noKind: { en: 'Choose a kind.', ja: '種類を選んでください。' },
  conflict: {
    en: (detail: string) => `Not possible: ${detail}.`,
    ja: (detail: string) => `変更できません（${detail}）。`,
  },
  emptyTitle: { en: 'No sites yet', ja: '拠点はまだありません' },
  emptyText: {
    en: 'A site is a store, a warehouse or a stall. Stock is kept at sites.',
    ja: '店舗・倉庫・イベントブースなどが拠点です。在庫品は拠点に保管します。',
  },
  noLocations: {
    en: 'This site has no locations yet. Shelves and showcases are locations.',
    ja: 'この拠点に保管場所はまだありません。棚やショーケースが保管場所です。',
  },
  caption: { en: 'Sites by code', ja: '拠点（コード順）' },
});
