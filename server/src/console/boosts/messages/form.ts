import type { BoostStatus } from '../../../boosts/boost-status.ts';
import { defineMessages, type Message } from '../../../html/messages.ts';
import { sharedMessages } from '../../shared-messages.ts';

export const boostFormMessages = defineMessages({
  kind: { en: 'What do you want to buy?', ja: '買取の対象' },
  gradeHint: {
    en: 'The grade that you pay this price for.',
    ja: 'この価格で買い取る状態・鑑定を選択してください。',
  },
  anyGrade: sharedMessages.anyGrade,
  price: sharedMessages.priceEach,
  priceHint: {
    en: (currency: string) => `In ${currency}.`,
    ja: (currency: string) => `${currency} で入力してください。`,
  },
  otherCurrency: { en: 'Another currency', ja: '別の通貨にする' },
  currency: { en: 'Currency', ja: '通貨' },
  currencyHint: {
    en: 'A three-letter code, such as JPY.',
    ja: '英字 3 文字のコードです（例：JPY）。',
  },
  left: { en: 'Quantity wanted', ja: '残りの買取数' },
  leftHint: { en: 'Leave empty for no limit.', ja: '空欄にすると無制限になります。' },
  period: { en: 'Start and end', ja: '開始と終了' },
  atOnce: { en: 'immediately', ja: 'すぐに開始' },
  noEnd: { en: 'no end', ja: '終了日時なし' },
  starts: sharedMessages.starts,
  startsHint: { en: 'Leave empty to start immediately.', ja: '空欄にすると、すぐに開始します。' },
  ends: sharedMessages.ends,
  endsHint: { en: 'Leave empty for no end.', ja: '空欄にすると、終了日時なしになります。' },
  zone: {
    en: (zone: string) => ` Time zone: ${zone}.`,
    ja: (zone: string) => `タイムゾーン：${zone}`,
  },
  note: sharedMessages.note,
  noteHint: {
    en: (max: number) => `One line that customers see with the buy boost, up to ${max} characters.`,
    ja: (max: number) => `買取強化とともにお客様に表示される 1 行のメモです（${max} 文字まで）。`,
  },
});

export const boostErrorMessages = defineMessages({
  currency: {
    en: 'Enter a three-letter currency code, such as JPY.',
    ja: '通貨コードを英字 3 文字で入力してください（例：JPY）。',
  },
  left: {
    en: 'Enter a whole number from 0 to 1,000,000,000, or leave empty for no limit.',
    ja: '0 から 1,000,000,000 までの整数を入力してください。空欄にすると無制限になります。',
  },
  endsFirst: {
    en: 'The end must be after the start.',
    ja: '終了日時は、開始日時より後にしてください。',
  },
  longNote: {
    en: (max: number) => `Enter a note of at most ${max} characters.`,
    ja: (max: number) => `メモは ${max} 文字以内で入力してください。`,
  },
  note: {
    en: 'The note contains a character that cannot be displayed.',
    ja: 'メモに使えない文字が含まれています。',
  },
});

export const boostEditMessages = defineMessages({
  create: { en: 'New buy boost', ja: '買取強化の登録' },
  edit: { en: 'Edit buy boost', ja: '買取強化の編集' },
  submitCreate: { en: 'Create buy boost', ja: '登録する' },
  list: sharedMessages.boosts,
  boost: sharedMessages.boost,
  ended: {
    en: 'This buy boost has ended and cannot be edited.',
    ja: 'この買取強化は終了しているため、編集できません。',
  },
  full: {
    en: 'Your shop has reached the limit of 2,000 current buy boosts. End one first.',
    ja: '有効な買取強化が上限の 2,000 件に達しています。先に不要なものを終了してください。',
  },
  unknown: {
    card: { en: 'This card is not in the catalog.', ja: 'このカードはカタログにありません。' },
    grade: {
      en: 'Your shop cannot use this grade.',
      ja: 'この状態・鑑定はこのショップでは使えません。',
    },
    product: { en: 'This product is not in the catalog.', ja: 'この商品はカタログにありません。' },
  },
});

export const boostPreviewMessages = defineMessages({
  title: { en: 'What apps see', ja: 'アプリでの見え方' },
  board: { en: 'On a price board', ja: '買取表での表示例' },
  boardHint: {
    en: 'Each app has its own design, but shows this information.',
    ja: 'デザインはアプリによって異なりますが、次の内容が表示されます。',
  },
  json: { en: 'What an app reads', ja: 'アプリが受け取るデータ' },
  jsonHint: {
    en: 'GET /purchase-boosts lists the open buy boosts of your shop, highest price first. This buy boost appears as:',
    ja: 'GET /purchase-boosts は、受付中の買取強化を価格の高い順に返します。この買取強化のデータは次のとおりです。',
  },
  listed: {
    open: { en: 'Apps see this buy boost now.', ja: '現在アプリに表示されています。' },
    filled: {
      en: 'No quantity remains, so only apps that ask for filled buy boosts see this one. Increase the quantity to reopen it.',
      ja: '残りの買取数が 0 のため、上限到達分も取得するアプリにのみ表示されます。買取数を増やすと再び受付中になります。',
    },
    scheduled: {
      en: 'Apps do not see this buy boost yet. It appears automatically when it starts.',
      ja: '開始前のため、まだアプリには表示されません。開始日時になると自動的に表示されます。',
    },
    paused: {
      en: 'Apps do not see this buy boost while it is paused. It appears again when you resume it.',
      ja: '一時停止中のため、アプリには表示されません。再開すると再び表示されます。',
    },
    expired: {
      en: 'Apps do not see this buy boost because it has expired. Set a later end to reopen it.',
      ja: '終了日時を過ぎたため、アプリには表示されません。終了日時を延ばすと再び受付中になります。',
    },
    ended: {
      en: 'Apps do not see this buy boost because it has ended. It cannot be reopened.',
      ja: '終了したため、アプリには表示されません。再開はできません。',
    },
  } satisfies Readonly<Record<BoostStatus, Message>>,
  left: { en: (left: string) => `${left} wanted`, ja: (left: string) => `あと ${left} 点` },
  noLimit: sharedMessages.noLimit,
  until: { en: 'Until', ja: '期限' },
});
