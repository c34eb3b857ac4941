import type { BoostStatus } from '../../../boosts/boost-status.ts';
import { defineMessages, type Message } from '../../../pages/messages.ts';
import { shared } from '../../shared-messages.ts';

export const boostFormMessages = defineMessages({
  kind: { en: 'What do you want to buy?', ja: '買取の対象' },
  gradeHint: {
    en: 'Which condition you pay this price for.',
    ja: 'この価格で買い取るグレードを選んでください。',
  },
  anyGrade: shared.anyGrade,
  price: shared.priceEach,
  priceHint: { en: 'Such as 1200, or 12.50.', ja: '例：1200、12.50' },
  currency: { en: 'Currency', ja: '通貨' },
  currencyHint: {
    en: 'The code of three letters. Leave it as it is, as a rule.',
    ja: '通常は変更する必要はありません（英字 3 文字）。',
  },
  left: { en: 'How many you still buy', ja: '残りの買取数' },
  leftHint: { en: 'Leave it empty for no limit.', ja: '空欄にすると無制限になります。' },
  period: { en: 'Start and end', ja: '開始と終了' },
  atOnce: { en: 'at once', ja: 'すぐに開始' },
  noEnd: { en: 'no end', ja: '終了日時なし' },
  starts: shared.starts,
  startsHint: { en: 'Leave it empty to start at once.', ja: '空欄にするとすぐに始まります。' },
  ends: shared.ends,
  endsHint: { en: 'Leave it empty for no end.', ja: '空欄にすると期限なしになります。' },
  zone: {
    en: (zone: string) => ` Times are those of ${zone}.`,
    ja: (zone: string) => `${zone} の時刻です。`,
  },
  note: shared.note,
  noteHint: {
    en: (max: number) => `One line that customers see with the boost, at most ${max} characters.`,
    ja: (max: number) => `買取強化と一緒にお客様に表示される 1 行です（${max} 文字まで）。`,
  },
});

export const boostFaultMessages = defineMessages({
  currency: {
    en: 'Enter a currency code of three letters, such as JPY.',
    ja: '通貨コードを英字 3 文字で入力してください（例：JPY）。',
  },
  left: {
    en: 'Enter a whole number from 0 to 1,000,000,000, or nothing for no limit.',
    ja: '0 から 1,000,000,000 までの整数を入力してください。空欄にすると無制限になります。',
  },
  endsFirst: {
    en: 'The end must be later than the start.',
    ja: '終了は開始より後の日時にしてください。',
  },
  longNote: {
    en: (max: number) => `A note has at most ${max} characters.`,
    ja: (max: number) => `メモは ${max} 文字までです。`,
  },
  note: {
    en: 'The note holds a character that cannot be shown.',
    ja: 'メモに使えない文字が含まれています。',
  },
});

export const boostEditMessages = defineMessages({
  create: { en: 'New buy boost', ja: '買取強化の登録' },
  edit: { en: 'Edit buy boost', ja: '買取強化の編集' },
  submitCreate: { en: 'Create buy boost', ja: '登録する' },
  list: shared.boosts,
  boost: shared.boost,
  ended: {
    en: 'This buy boost was ended, which is final.',
    ja: 'この買取強化は終了しています。終了後は変更できません。',
  },
  full: {
    en: 'Your shop has 2,000 buy boosts that are neither ended nor expired. End one first.',
    ja: '有効な買取強化が上限の 2,000 件に達しています。先にどれかを終了してください。',
  },
  unknown: {
    card: { en: 'This card is not in the catalog.', ja: 'このカードはカタログにありません。' },
    grade: {
      en: 'This grade is not one that your shop may use.',
      ja: 'このグレードはこのショップでは使えません。',
    },
    product: { en: 'This product is not in the catalog.', ja: 'この商品はカタログにありません。' },
  },
});

export const boostPreviewMessages = defineMessages({
  title: { en: 'What apps see', ja: 'アプリでの見え方' },
  board: { en: 'On a price board', ja: '価格表での表示例' },
  boardHint: {
    en: 'Each app draws it in its own way; the facts are these.',
    ja: '見た目はアプリごとに異なります。伝わる内容は次のとおりです。',
  },
  json: { en: 'What an app reads', ja: 'アプリが受け取るデータ' },
  jsonHint: {
    en: 'GET /purchase-boosts lists every open buy boost of your shop, the highest price first. This one in it, exactly:',
    ja: 'GET /purchase-boosts は、ショップの受付中の買取強化を価格の高い順に返します。この買取強化は次のとおり含まれます。',
  },
  listed: {
    open: { en: 'Apps see this buy boost now.', ja: '現在アプリに表示されています。' },
    filled: {
      en: 'Nothing is left to buy: apps see it only when they ask for filled ones too. Raise the quantity to open it again.',
      ja: '残りの買取数が 0 のため、上限到達分も求めるアプリにだけ表示されます。買取数を増やすと再び受付中になります。',
    },
    scheduled: {
      en: 'Apps do not see it yet: it has not started. It appears by itself at its start.',
      ja: '開始前のため、まだアプリには表示されません。開始日時になると自動的に表示されます。',
    },
    paused: {
      en: 'Apps do not see it: it is paused. It appears again when you resume it.',
      ja: '一時停止中のため、アプリには表示されません。再開すると表示されます。',
    },
    expired: {
      en: 'Apps no longer see it: its end has passed. A later end opens it again.',
      ja: '終了日時を過ぎたため、アプリには表示されません。終了日時を延ばすと再び表示されます。',
    },
    ended: {
      en: 'Apps no longer see it: it was ended, which is final.',
      ja: '終了したため、アプリには表示されません。終了は取り消せません。',
    },
  } satisfies Readonly<Record<BoostStatus, Message>>,
  left: { en: (left: string) => `${left} more wanted`, ja: (left: string) => `あと ${left} 点` },
  noLimit: shared.noLimit,
  until: { en: 'Until', ja: '期限' },
});
