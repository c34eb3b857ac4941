import { consoleMessages } from '../../shared-messages.ts';

export const boostListMessages = consoleMessages({
  add: { en: 'New buy boost', ja: '買取強化を登録' },
  current: { en: 'All current boosts', ja: '有効な買取強化' },
  text: { en: 'Card, product or note', ja: 'カード・商品・メモ' },
  sort: { en: 'Sort by', ja: '並び順' },
  byPrice: { en: 'Highest price first', ja: '価格の高い順' },
  byEnd: { en: 'Soonest end first', ja: '終了が近い順' },
  past: { en: 'Most recently ended first.', ja: '終了の新しい順に表示しています。' },
  target: { en: 'Card or product', ja: '対象' },
  left: { en: 'Remaining', ja: '残り' },
  until: { en: 'Ends', ja: '終了日時' },
  noEnd: { en: 'No end', ja: 'なし' },
  from: { en: 'From', ja: '開始' },
  pause: { en: 'Pause', ja: '一時停止' },
  resume: { en: 'Resume', ja: '再開' },
  near: {
    en: (live: string, max: string) =>
      `Your shop has ${live} current buy boosts. The limit is ${max}. End those that you do not need.`,
    ja: (live: string, max: string) =>
      `有効な買取強化が ${live} 件あります（上限 ${max} 件）。不要なものは終了してください。`,
  },
  emptyTitle: { en: 'No buy boosts yet', ja: '買取強化はまだありません' },
  empty: {
    en: 'A buy boost shows apps and their users which cards your shop wants to buy, and at what price.',
    ja: '買取強化を登録すると、買い取りたいカードと価格がアプリとその利用者に表示されます。',
  },
  noneTitle: { en: 'No results', ja: '該当する買取強化はありません' },
  none: { en: 'No buy boosts match these filters.', ja: '検索条件を変えてお試しください。' },
  short: {
    en: 'Only the newest buy boosts were searched. There may be more on the next page.',
    ja: '新しいものから一部を検索しました。次のページに続きがある場合があります。',
  },
  all: { en: 'View all current buy boosts', ja: '有効な買取強化をすべて見る' },
});

export const boostMessages = consoleMessages({
  facts: { en: 'Terms', ja: '条件' },
  target: { en: 'Card or product', ja: '対象' },
  left: { en: 'Remaining', ja: '残りの買取数' },
  atOnce: { en: 'Immediately', ja: 'すぐに開始' },
  noEnd: { en: 'No end', ja: '終了日時なし' },
  edited: { en: 'Terms changed', ja: '条件の変更' },
  changed: { en: 'Last changed', ja: '最終変更' },
  created: { en: 'Created', ja: '登録日時' },
  id: { en: 'ID', ja: 'ID' },
  pause: { en: 'Pause', ja: '一時停止' },
  resume: { en: 'Resume', ja: '再開' },
  end: { en: 'End…', ja: '終了…' },
  buy: { en: 'Buy', ja: '買い取る' },
  raiseTitle: { en: 'Buy more', ja: '買取数の追加' },
  raiseBy: { en: 'Additional quantity', ja: '追加する数' },
  raiseHint: {
    en: 'This is added to the quantity that remains when you save, so purchases made at the till in the meantime are counted.',
    ja: '保存した時点の残数に加算されるため、その間のレジでの買取分も正しく反映されます。',
  },
  raise: { en: 'Increase quantity', ja: '買取数を増やす' },
  faults: { en: 'This could not be done:', ja: '実行できませんでした。' },
  paused: { en: 'Paused by your shop', ja: 'ショップが一時停止中' },
});

export const boostActionMessages = consoleMessages({
  ended: {
    en: 'This buy boost has ended and cannot be reopened.',
    ja: 'この買取強化は終了しています。再開はできません。',
  },
  raiseBy: {
    en: 'Enter a whole number from 1 to 1,000,000,000.',
    ja: '1 から 1,000,000,000 までの整数を入力してください。',
  },
  noLimit: {
    en: 'This buy boost has no limit, so there is no quantity to increase.',
    ja: 'この買取強化は無制限のため、買取数を増やす必要はありません。',
  },
  tooMany: {
    en: 'The remaining quantity can be at most 1,000,000,000.',
    ja: '残りの買取数は 1,000,000,000 までです。',
  },
  raisedBefore: {
    en: (left: string) =>
      `The quantity was increased after you opened this page: ${left} now remain. Nothing was added this time. To add more, increase it again.`,
    ja: (left: string) =>
      `このページを開いた後に買取数が追加され、現在の残りは ${left} です。今回の追加は行っていません。さらに増やす場合は、もう一度実行してください。`,
  },
  endTitle: { en: 'End this buy boost?', ja: 'この買取強化を終了しますか？' },
  endFinal: {
    en: 'This cannot be undone. The buy boost disappears from apps immediately, and you cannot edit or reopen it. To stop it temporarily, pause it instead.',
    ja: 'この操作は取り消せません。アプリにはすぐに表示されなくなり、編集も再開もできません。一時的に止める場合は、一時停止をご利用ください。',
  },
  end: { en: 'End buy boost', ja: '買取強化を終了する' },
  keep: { en: 'Cancel', ja: 'キャンセル' },
});

export const boostPurchaseMessages = consoleMessages({
  title: { en: 'Purchases', ja: '買取履歴' },
  sum: {
    en: (quantity: string, purchases: string) =>
      purchases === '1'
        ? `Bought so far: ${quantity} (in 1 purchase)`
        : `Bought so far: ${quantity} (in ${purchases} purchases)`,
    ja: (quantity: string, purchases: string) =>
      `これまでの買取：${quantity} 点（${purchases} 件）`,
  },
  quantity: { en: 'Quantity', ja: '点数' },
  id: { en: 'Reference', ja: '取引番号' },
  counted: { en: 'Counted', ja: '有効' },
  cancelled: { en: 'Cancelled', ja: '取消済み' },
  emptyTitle: { en: 'No purchases yet', ja: '買取履歴はまだありません' },
  empty: {
    en: 'Purchases on this buy boost appear here.',
    ja: 'この買取強化で買い取った履歴がここに表示されます。',
  },
});
