import type { LocationKind } from '../../inventory/location.ts';
import type { SiteKind } from '../../inventory/site.ts';
import { defineMessages, type Message } from '../../html/messages.ts';
import { sharedMessages } from '../shared-messages.ts';

export const placeMessages = defineMessages({
  title: { en: 'Places', ja: '拠点・保管場所' },
  addSite: { en: 'Add site', ja: '拠点を追加' },
  addLocation: { en: 'Add location', ja: '保管場所を追加' },
  editSite: { en: 'Edit site', ja: '拠点の編集' },
  editLocation: { en: 'Edit location', ja: '保管場所の編集' },
  site: sharedMessages.site,
  location: { en: 'Location', ja: '保管場所' },
  locations: { en: 'Locations', ja: '保管場所' },
  kind: { en: 'Type', ja: '種類' },
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
    transit: { en: 'In transit', ja: '移動用' },
    other: { en: 'Other', ja: 'その他' },
  } satisfies Readonly<Record<LocationKind, Message>>,
  code: { en: 'Code', ja: 'コード' },
  codeHint: {
    en: 'A short code for labels, up to 64 characters.',
    ja: 'ラベルなどに使う短いコードです（64 文字まで）。',
  },
  name: sharedMessages.name,
  country: { en: 'Country code', ja: '国コード' },
  countryHint: {
    en: 'A two-letter ISO 3166-1 code, such as JP.',
    ja: 'ISO 3166-1 の 2 文字のコードです（例：JP）。',
  },
  timezone: sharedMessages.timezone,
  timezoneHint: {
    en: 'For example Asia/Tokyo. If no time zone is chosen in Settings, the console uses the time zone of the oldest site in use.',
    ja: '例：Asia/Tokyo。設定でタイムゾーンを指定していない場合、画面の日時は、使用中の拠点のうち最初に登録した拠点のタイムゾーンで表示します。',
  },
  isActive: { en: 'In use', ja: '使用中' },
  isActiveHint: {
    en: 'A place that is not in use keeps its units but does not appear in forms.',
    ja: '使用停止にしても在庫品はそのまま残ります。入力画面の選択肢には表示されません。',
  },
  active: { en: 'In use', ja: '使用中' },
  inactive: { en: 'Not in use', ja: '使用停止中' },
  state: sharedMessages.status,
  inStock: { en: 'Units in stock', ja: '在庫数' },
  allUnits: { en: 'Total units', ja: '累計登録数' },
  orMore: { en: (count: string) => `${count} or more`, ja: (count: string) => `${count} 点以上` },
  showUnits: { en: 'View units', ja: '在庫品を見る' },
  details: sharedMessages.details,
  edit: sharedMessages.edit,
  badName: sharedMessages.badName,
  noCode: {
    en: 'Enter a code of 1 to 64 characters, without invisible characters.',
    ja: 'コードを 1〜64 文字で入力してください。表示されない文字は使えません。',
  },
  noCountry: {
    en: 'Enter a valid country code, such as JP.',
    ja: '正しい国コードを入力してください（例：JP）。',
  },
  noTimezone: {
    en: 'Choose a time zone from the list, such as Asia/Tokyo.',
    ja: '一覧からタイムゾーンを選択してください（例：Asia/Tokyo）。',
  },
  noKind: { en: 'Choose a type.', ja: '種類を選択してください。' },
  conflict: {
    en: (detail: string) => `This could not be saved: ${detail}.`,
    ja: (detail: string) => `保存できませんでした（${detail}）。`,
  },
  emptyTitle: { en: 'No sites yet', ja: '拠点はまだありません' },
  emptyText: {
    en: 'A site is a store, a warehouse or an event stall where you keep stock.',
    ja: '店舗・倉庫・イベントブースなど、在庫品を保管する場所が拠点です。',
  },
  noLocations: {
    en: 'This site has no locations yet. Add its shelves and showcases as locations.',
    ja: 'この拠点に保管場所はまだありません。棚やショーケースを保管場所として追加できます。',
  },
  caption: { en: 'Sites by code', ja: '拠点（コード順）' },
});
