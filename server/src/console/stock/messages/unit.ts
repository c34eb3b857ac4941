import { CODE_CHARACTERS_MAX } from '../../../inventory/text-limits.ts';
import { defineMessages, type Message } from '../../../html/messages.ts';
import { consoleMessages, sharedMessages } from '../../shared-messages.ts';
import type { ConfirmedStatus } from '../confirmed-status.ts';

export const unitMessages = consoleMessages({
  photos: { en: 'Photos', ja: '写真' },
  noPhoto: { en: 'No photo yet', ja: '写真はまだありません' },
  add: { en: 'Add photo', ja: '写真を追加' },
  replace: { en: 'Replace photo', ja: '写真を差し替え' },
  remove: { en: 'Remove photo', ja: '写真を削除' },
  photoHint: { en: 'JPEG, PNG or WebP, up to 20 MB.', ja: 'JPEG・PNG・WebP、20 MB まで' },
  large: { en: 'Open full size', ja: '拡大表示' },
  since: { en: (text: string) => `since ${text}`, ja: (text: string) => `${text} から` },
  certificate: { en: 'Certificate number', ja: '鑑定番号' },
  serial: { en: 'Serial number', ja: 'シリアル番号' },
  ownership: { en: 'Ownership', ja: '所有区分' },
  owned: { en: 'Own stock', ja: '自店在庫' },
  consigned: { en: 'Consignment', ja: '委託品' },
  acquired: { en: 'Acquired', ja: '仕入日時' },
  created: { en: 'Created', ja: '登録日時' },
  changed: { en: 'Last changed', ja: '最終更新' },
  id: { en: 'Unit ID', ja: '在庫 ID' },
  sameItem: { en: 'View all units of this item', ja: '同じカード・商品の在庫を見る' },
  change: { en: 'Change status', ja: 'ステータスの変更' },
  final: { en: 'This status is final.', ja: 'このステータスからは変更できません。' },
  moreActions: { en: 'More actions', ja: 'その他の操作' },
  moveTitle: { en: 'Move', ja: '移動' },
  moveTo: { en: 'Move to', ja: '移動先' },
  move: { en: 'Move', ja: '移動する' },
  history: { en: 'Status history', ja: 'ステータスの履歴' },
  from: { en: 'From', ja: '変更前' },
  to: { en: 'To', ja: '変更後' },
  who: { en: 'By', ja: '変更者' },
  noHistory: {
    en: 'The status has not changed since the unit was created.',
    ja: '登録後、ステータスは変更されていません。',
  },
  moreHistory: {
    en: 'Showing the 200 most recent changes.',
    ja: '最新の 200 件を表示しています。',
  },
  feed: { en: 'Read by apps', ja: 'アプリへの反映' },
  feedHint: {
    en: 'Apps read changes in the order of their positions.',
    ja: 'アプリは、変更を位置の番号順に取得します。',
  },
  position: { en: 'Position of this change', ja: 'この変更の位置' },
  head: { en: 'Latest position in the shop', ja: 'ショップの最新の位置' },
  readers: { en: 'Connected apps', ja: '接続中のアプリ' },
  readBy: {
    en: (read: number, all: number) => `${read} of ${all} connected apps have read this change.`,
    ja: (read: number, all: number) =>
      `接続中のアプリ ${all} 件のうち ${read} 件が、最新の内容を取得済みです。`,
  },
  noReaders: { en: 'No connected apps.', ja: '接続中のアプリはありません。' },
  moreReaders: {
    en: 'Showing 100 apps. Apps that have not read this change come first.',
    ja: '未取得のアプリから順に 100 件を表示しています。',
  },
  hasRead: { en: 'Read', ja: '取得' },
  yes: { en: 'Yes', ja: '済み' },
  notYet: { en: 'Not yet', ja: '未' },
  lastRead: { en: 'Last read', ja: '最終取得' },
  never: { en: 'Never', ja: 'なし' },
  asks: {
    returned: { en: 'Mark this unit as returned?', ja: 'この在庫品を返却済みにしますか？' },
    voided: { en: 'Void this unit?', ja: 'この在庫品の登録を取り消しますか？' },
    written_off: { en: 'Write off this unit?', ja: 'この在庫品を除却しますか？' },
  } satisfies Readonly<Record<ConfirmedStatus, Message>>,
  confirmFinal: {
    en: 'This cannot be undone. The unit stays in your records, but its status can never be changed again.',
    ja: 'この操作は取り消せません。在庫品の記録は残りますが、ステータスは変更できなくなります。',
  },
  confirmUndoable: {
    en: 'The unit is removed from stock. You can undo this on the unit’s page.',
    ja: '在庫から外れます。除却は、在庫品のページで取り消せます。',
  },
});

export const unitFieldMessages = defineMessages({
  amountHint: {
    en: (currency: string, example: string) => `In ${currency}, for example ${example}. Optional.`,
    ja: (currency: string, example: string) => `${currency}（例：${example}）。任意です。`,
  },
  noText: {
    en: `Enter at most ${CODE_CHARACTERS_MAX} characters, without line breaks.`,
    ja: `改行を使わず、${CODE_CHARACTERS_MAX} 文字以内で入力してください。`,
  },
  noOwnership: { en: 'Select who owns the unit.', ja: '所有区分を選択してください。' },
  acquiredHint: {
    en: (zone: string) => `Shop time zone: ${zone}.`,
    ja: (zone: string) => `ショップのタイムゾーン（${zone}）で入力してください。`,
  },
});

export const unitEditMessages = defineMessages({
  title: { en: 'Edit unit', ja: '在庫品の編集' },
});

export const receiveMessages = defineMessages({
  title: { en: 'Receive stock', ja: '入庫' },
  stock: sharedMessages.stock,
  choosePlace: { en: 'Select a place', ja: '選択してください' },
  quantity: { en: 'Quantity', ja: '数量' },
  place: sharedMessages.place,
  receive: { en: 'Receive', ja: '入庫する' },
  noQuantity: {
    en: 'Enter a whole number from 1 to 100.',
    ja: '1 から 100 までの整数を入力してください。',
  },
  noPlace: { en: 'Select where to put the units.', ja: '保管する場所を選択してください。' },
  noPlaces: {
    en: 'The shop has no site yet. Add one first.',
    ja: '拠点がまだありません。先に拠点を追加してください。',
  },
  addPlace: { en: 'Add site', ja: '拠点を追加' },
});

export const certificateMessages = defineMessages({
  label: { en: 'Certificate numbers', ja: '鑑定番号' },
  hint: {
    en: 'For graded cards: one number per line, one for each item.',
    ja: '鑑定品の場合に、1 点につき 1 行ずつ入力してください。',
  },
  doubled: {
    en: (number: string) => `The certificate number ${number} is entered twice.`,
    ja: (number: string) => `鑑定番号 ${number} が重複しています。`,
  },
  count: {
    en: (numbers: number, quantity: number) =>
      `Enter one certificate number for each item. The quantity is ${quantity}, but you entered ${numbers}.`,
    ja: (numbers: number, quantity: number) =>
      `数量 ${quantity} に対して鑑定番号が ${numbers} 件です。1 点につき 1 件入力してください。`,
  },
});

export const photoErrorMessages = defineMessages({
  empty: { en: 'Choose or take a photo first.', ja: '写真を選択するか、撮影してください。' },
  too_large: {
    en: 'The photo is larger than 20 MB. Nothing was changed.',
    ja: '写真のサイズが 20 MB を超えています。変更は保存されていません。',
  },
  heic: {
    en: 'HEIC photos are not supported. On an iPhone, go to Settings > Camera > Formats, choose Most Compatible, and take the photo again.',
    ja: 'HEIC 形式の写真には対応していません。iPhone では「設定」→「カメラ」→「フォーマット」で「互換性優先」を選び、もう一度撮影してください。',
  },
  unsupported: {
    en: 'The file is not a JPEG, PNG or WebP photo.',
    ja: 'JPEG・PNG・WebP 形式の写真を選択してください。',
  },
  unreadable: {
    en: 'The photo is damaged, animated or larger than 50 megapixels. Choose another one.',
    ja: '写真が破損しているか、アニメーション画像か、5,000 万画素を超えています。別の写真を選択してください。',
  },
  again: {
    en: 'The upload did not finish. Try again.',
    ja: 'アップロードが完了しませんでした。もう一度お試しください。',
  },
});
