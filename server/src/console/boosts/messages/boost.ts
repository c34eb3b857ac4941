import { consoleMessages } from '../../shared-messages.ts';

export const boostListMessages = consoleMessages({
  add: { en: 'New buy boost', ja: '買取強化を登録' },
  current: { en: 'All current', ja: '有効な買取強化' },
  text: { en: 'Card, product or note', ja: 'カード・商品・メモ' },
  sort: { en: 'Order', ja: '並び順' },
  byPrice: { en: 'Highest price first', ja: '価格の高い順' },
  byEnd: { en: 'Soonest end first', ja: '終了が近い順' },
  past: { en: 'The newest end comes first.', ja: '終了の新しい順に表示しています。' },
  target: { en: 'Card or product', ja: '対象' },
  left: { en: 'Still to buy', ja: '残り' },
  until: { en: 'Ends', ja: '終了日時' },
  noEnd: { en: 'No end', ja: 'なし' },
  from: { en: 'From', ja: '開始' },
  pause: { en: 'Pause', ja: '一時停止' },
  resume: { en: 'Resume', ja: '再開' },
  near: {
    en: (live: string, max: string) =>
      `Your shop has ${live} of at most ${max} buy boosts that are neither ended nor expired. End those that you no longer need.`,
    ja: (live: string, max: string) =>
      `有効な買取強化が ${live} 件あります（上限 ${max} 件）。不要なものは終了してください。`,
  },
  emptyTitle: { en: 'No buy boosts yet', ja: '買取強化はまだありません' },
  empty: {
    en: 'A buy boost tells apps and their users which cards your shop wants to buy, and at what price.',
    ja: '買取強化を登録すると、ショップが買い取りたいカードと価格がアプリとその利用者に伝わります。',
  },
  noneTitle: { en: 'Nothing matches', ja: '該当するものがありません' },
  none: { en: 'No buy boost matches.', ja: '条件に合う買取強化はありません。' },
  short: {
    en: 'Only the newest ones were searched. There may be more on the next page.',
    ja: '新しいものから順に検索しました。続きは次のページにある場合があります。',
  },
  all: { en: 'Show all current ones', ja: '有効な買取強化をすべて表示' },
});

export const boostMessages = consoleMessages({
  facts: { en: 'Terms', ja: '条件' },
  target: { en: 'Card or product', ja: '対象' },
  left: { en: 'Still to buy', ja: '残りの買取数' },
  atOnce: { en: 'At once', ja: 'すぐに開始' },
  noEnd: { en: 'No end', ja: '終了日時なし' },
  changed: { en: 'Last changed', ja: '最終変更' },
  created: { en: 'Created', ja: '登録日時' },
  id: { en: 'Id', ja: 'ID' },
  pause: { en: 'Pause', ja: '一時停止' },
  resume: { en: 'Resume', ja: '再開' },
  end: { en: 'End…', ja: '終了…' },
  raiseTitle: { en: 'Buy more', ja: '買取数の追加' },
  raiseBy: { en: 'How many more', ja: '追加する数' },
  raiseHint: {
    en: 'Added to what is left at that moment: purchases of the till are not lost.',
    ja: 'その時点の残りに加算されます。レジでの買取が失われることはありません。',
  },
  raise: { en: 'Raise the quantity', ja: '買取数を増やす' },
  faults: { en: 'This was not done:', ja: '実行できませんでした。' },
  paused: { en: 'Paused by your shop', ja: 'ショップが一時停止しています' },
});

export const boostActionMessages = consoleMessages({
  ended: {
    en: 'This buy boost was ended, which is final.',
    ja: 'この買取強化は終了しています。終了は取り消せません。',
  },
  raiseBy: {
    en: 'Enter a whole number from 1 to 1,000,000,000.',
    ja: '1 から 1,000,000,000 までの整数を入力してください。',
  },
  noLimit: {
    en: 'This buy boost has no limit: there is nothing to raise.',
    ja: 'この買取強化は無制限のため、増やす必要はありません。',
  },
  tooMany: {
    en: 'At most 1,000,000,000 can be left.',
    ja: '残りの買取数は 1,000,000,000 までです。',
  },
  raisedBefore: {
    en: (left: string) =>
      `The quantity was raised since this page was shown: ${left} are left to buy now. Nothing was added this time. To buy more still, raise it again.`,
    ja: (left: string) =>
      `このページを表示した後に買取数が増やされ、現在の残りは ${left} です。今回は追加していません。さらに増やす場合は、もう一度実行してください。`,
  },
  endTitle: { en: 'End this buy boost?', ja: 'この買取強化を終了しますか？' },
  endFinal: {
    en: 'Ending is final: the buy boost disappears from apps at once and can be neither changed nor opened again. To stop for a while, pause it instead.',
    ja: '終了は取り消せません。アプリからすぐに消え、変更も再開もできなくなります。しばらく止めるだけの場合は、一時停止をご利用ください。',
  },
  end: { en: 'End it for good', ja: '完全に終了する' },
  keep: { en: 'Keep it', ja: '終了しない' },
});

export const boostPurchaseMessages = consoleMessages({
  title: { en: 'Purchases', ja: '買取の記録' },
  sum: {
    en: (quantity: string, purchases: string) =>
      purchases === '1'
        ? `Bought so far: ${quantity} (in 1 purchase)`
        : `Bought so far: ${quantity} (in ${purchases} purchases)`,
    ja: (quantity: string, purchases: string) =>
      `これまでの買取：${quantity} 点（${purchases} 件）`,
  },
  quantity: { en: 'Pieces', ja: '点数' },
  id: { en: 'Till reference', ja: 'レジの取引番号' },
  counted: { en: 'Counted', ja: '有効' },
  cancelled: { en: 'Cancelled', ja: '取消済み' },
  emptyTitle: { en: 'No purchases yet', ja: '買取の記録はまだありません' },
  empty: {
    en: 'What the till buys on this buy boost is listed here.',
    ja: 'この買取強化でレジが買い取ったものが、ここに表示されます。',
  },
});
