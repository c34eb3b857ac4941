import { CODE_CHARACTERS_MAX } from '../../../inventory/text-bounds.ts';
import { defineMessages, type Message } from '../../../pages/messages.ts';
import { consoleMessages, shared } from '../../shared-messages.ts';
import type { AskedStatus } from '../asked-status.ts';

export const unitMessages = consoleMessages({
  photos: { en: 'Photos', ja: '写真' },
  noPhoto: { en: 'No photo yet', ja: '写真はまだありません' },
  add: { en: 'Add the photo', ja: '写真を追加' },
  replace: { en: 'Replace the photo', ja: '写真を差し替え' },
  remove: { en: 'Remove the photo', ja: '写真を削除' },
  photoHint: { en: 'JPEG, PNG or WebP of at most 20 MB.', ja: 'JPEG・PNG・WebP、20 MB まで。' },
  large: { en: 'Open in full size', ja: '大きい写真を開く' },
  since: { en: (text: string) => `since ${text}`, ja: (text: string) => `${text} から` },
  certificate: { en: 'Certificate number', ja: '鑑定番号' },
  serial: { en: 'Serial number', ja: 'シリアル番号' },
  ownership: { en: 'Ownership', ja: '所有区分' },
  owned: { en: 'Own stock', ja: '自店在庫' },
  consigned: { en: 'On consignment', ja: '委託品' },
  acquired: { en: 'Acquired', ja: '仕入日時' },
  created: { en: 'Created', ja: '登録日時' },
  changed: { en: 'Last change', ja: '最終変更' },
  id: { en: 'Unit id', ja: '在庫品 ID' },
  sameItem: { en: 'All units of this item', ja: '同じカード・商品の在庫を表示' },
  change: { en: 'Change the status', ja: '状態の変更' },
  final: { en: 'The status cannot be changed any more.', ja: 'この状態からは変更できません。' },
  moveTitle: { en: 'Move', ja: '移動' },
  moveTo: { en: 'Move to', ja: '移動先' },
  move: { en: 'Move', ja: '移動する' },
  history: { en: 'History of the status', ja: '状態の履歴' },
  from: { en: 'From', ja: '変更前' },
  to: { en: 'To', ja: '変更後' },
  who: { en: 'By', ja: '変更者' },
  noHistory: {
    en: 'The status has not changed since the unit was recorded.',
    ja: '登録されてから、状態は変わっていません。',
  },
  moreHistory: {
    en: 'Only the newest 200 changes are shown.',
    ja: '新しいほうから 200 件だけを表示しています。',
  },
  actors: {
    member: { en: 'A member', ja: 'メンバー' },
    app: { en: 'An app', ja: 'アプリ' },
    shop_key: shared.key,
    operator: { en: 'The operator', ja: '運営者' },
    service: { en: 'The service', ja: 'サービス' },
  },
  feed: { en: 'Position in the feed', ja: 'アプリへの反映' },
  feedHint: {
    en: 'Apps read changes in the order of their positions.',
    ja: 'アプリは変更を順番に読み取ります。',
  },
  position: { en: 'Position of this change', ja: 'この変更の位置' },
  head: { en: 'Newest position of the shop', ja: 'ショップの最新の位置' },
  readers: { en: 'Apps that have read it', ja: '読み取ったアプリ' },
  readBy: {
    en: (read: number, all: number) => `${read} of ${all} connected apps have read past it.`,
    ja: (read: number, all: number) =>
      `接続中のアプリ ${all} 件のうち ${read} 件が読み取りました。`,
  },
  noReaders: { en: 'No app is connected.', ja: '接続中のアプリはありません。' },
  moreReaders: {
    en: 'Only the first 100 are shown, those that have not read it first.',
    ja: '先頭の 100 件だけを、まだ読み取っていないものから表示しています。',
  },
  hasRead: { en: 'Has read it', ja: '読み取り' },
  yes: { en: 'Yes', ja: '済み' },
  notYet: { en: 'Not yet', ja: '未' },
  lastRead: { en: 'Last read', ja: '最後の読み取り' },
  never: { en: 'Never', ja: 'なし' },
  asks: {
    returned: { en: 'Mark this unit as returned?', ja: 'この在庫品を返却しますか？' },
    voided: { en: 'Void this unit?', ja: 'この在庫品を無効にしますか？' },
    written_off: { en: 'Write off this unit?', ja: 'この在庫品を廃棄しますか？' },
  } satisfies Readonly<Record<AskedStatus, Message>>,
  confirmFinal: {
    en: 'This is final. The unit stays in the records, and its status never changes again.',
    ja: 'この操作は取り消せません。在庫品の記録は残りますが、状態は二度と変更できません。',
  },
  confirmUndoable: {
    en: 'It leaves the stock. The write-off can be undone on the page of the unit.',
    ja: '在庫から外れます。廃棄は、在庫品のページで取り消せます。',
  },
});

export const unitFieldMessages = defineMessages({
  amountHint: {
    en: (currency: string, example: string) => `In ${currency}, such as ${example}. Empty: none.`,
    ja: (currency: string, example: string) =>
      `${currency}（例：${example}）。未入力でもかまいません。`,
  },
  noText: {
    en: `Enter at most ${CODE_CHARACTERS_MAX} characters, without line breaks.`,
    ja: `改行なしで ${CODE_CHARACTERS_MAX} 文字まで入力してください。`,
  },
  noOwnership: { en: 'Choose who owns it.', ja: '所有区分を選んでください。' },
  acquiredHint: {
    en: (zone: string) => `In the time of the shop (${zone}).`,
    ja: (zone: string) => `ショップの時刻（${zone}）で入力してください。`,
  },
});

export const unitEditMessages = defineMessages({
  title: { en: 'Edit the unit', ja: '在庫品の編集' },
});

export const receiveMessages = defineMessages({
  title: { en: 'Receive stock', ja: '入庫' },
  stock: shared.stock,
  what: { en: 'What comes in', ja: '入庫するもの' },
  details: { en: 'Price and details', ja: '価格と詳細' },
  kind: { en: 'What do you receive?', ja: '入庫の対象' },
  choosePlace: { en: 'Choose a place', ja: '選んでください' },
  noGrade: shared.ungraded,
  quantity: { en: 'Quantity', ja: '数量' },
  quantityHint: {
    en: 'From 1 to 100; each piece becomes a unit of its own.',
    ja: '1 から 100 まで。1 点ごとに在庫品として登録します。',
  },
  place: shared.place,
  receive: { en: 'Receive', ja: '入庫する' },
  noQuantity: {
    en: 'Enter a whole number from 1 to 100.',
    ja: '1 から 100 までの整数を入力してください。',
  },
  noPlace: { en: 'Choose where the pieces are put.', ja: '保管する場所を選んでください。' },
  numbersOfOne: {
    en: 'Certificate and serial numbers belong to one piece: receive it by itself.',
    ja: '鑑定番号・シリアル番号を入力する場合は、1 点ずつ入庫してください。',
  },
  noPlaces: {
    en: 'The shop has no site yet. Add one first.',
    ja: '拠点がまだありません。先に拠点を追加してください。',
  },
  addPlace: { en: 'Add a site', ja: '拠点を追加' },
  received: {
    en: (units: number, name: string) => `Received: ${units} × ${name}.`,
    ja: (units: number, name: string) => `「${name}」を ${units} 点入庫しました。`,
  },
  open: {
    en: (units: number) => (units === 1 ? 'Open the unit' : 'Open the first unit'),
    ja: (units: number) => (units === 1 ? '在庫品を開く' : '最初の 1 点を開く'),
  },
});

export const photoFaultMessages = defineMessages({
  empty: { en: 'Choose or take a photo first.', ja: '写真を選ぶか、撮影してください。' },
  too_large: {
    en: 'The photo has more than 20 MB. Nothing was changed.',
    ja: '写真が 20 MB を超えています。変更はありませんでした。',
  },
  heic: {
    en: 'The photo is HEIC, which cannot be read. On an iPhone choose Settings, Camera, Formats, Most Compatible, and take it again.',
    ja: 'HEIC 形式の写真は読み取れません。iPhone では「設定」→「カメラ」→「フォーマット」で「互換性優先」を選び、もう一度撮影してください。',
  },
  unsupported: {
    en: 'The file is not a JPEG, PNG or WebP photo.',
    ja: 'JPEG・PNG・WebP の写真ではありません。',
  },
  unreadable: {
    en: 'The photo is damaged, animated, or has more than 50 megapixels.',
    ja: '写真が壊れているか、アニメーションであるか、5,000 万画素を超えています。',
  },
  again: {
    en: 'The upload was not completed. Send it again.',
    ja: 'アップロードが完了しませんでした。もう一度送信してください。',
  },
});
