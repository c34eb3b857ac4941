import { consoleMessages } from '../../shared-messages.ts';

export const buyMessages = consoleMessages({
  title: { en: 'Buy', ja: '買い取る' },
  buy: { en: 'Buy', ja: '買い取る' },
  what: { en: 'Item', ja: '商品' },
  left: { en: 'Remaining', ja: '残りの買取数' },
  quantityHint: {
    en: 'From 1 to 100. Each item becomes a separate unit in stock.',
    ja: '1〜100。1 点ごとに在庫品として登録します。',
  },
  costEach: { en: 'Cost per item', ja: '1 点あたりの原価' },
  costHint: {
    en: (currency: string) => `The price that you paid, in ${currency}.`,
    ja: (currency: string) => `支払った金額（${currency}）。`,
  },
  ended: {
    en: 'This buy boost has ended, so nothing more can be bought on it.',
    ja: 'この買取強化は終了しているため、買い取りを記録できません。',
  },
  fewerLeft: {
    en: (left: string) => `Only ${left} remain on this buy boost. Nothing was recorded.`,
    ja: (left: string) => `この買取強化の残りは ${left} 点です。何も記録していません。`,
  },
});

export const boostOfferMessages = consoleMessages({
  offer: {
    en: (price: string, left: string | null) =>
      `Record as a purchase on the open buy boost: ${price}${left === null ? '' : `, ${left} remaining`}`,
    ja: (price: string, left: string | null) =>
      `受付中の買取強化での買取として記録する：${price}${left === null ? '' : `（残り ${left} 点）`}`,
  },
  hint: {
    en: 'The purchase lowers the boost’s remaining quantity. If you enter no cost, the boost’s price is the cost.',
    ja: '買取強化の残りの買取数が減ります。原価が空欄のときは、買取価格が原価になります。',
  },
  unanswered: {
    en: 'This item has an open buy boost. Choose whether this is a purchase on that buy boost, then submit the form again. Nothing has been recorded yet.',
    ja: 'この商品には受付中の買取強化があります。その買取として記録するかどうかを選んで、もう一度入庫してください。まだ何も記録していません。',
  },
  closed: {
    en: 'The chosen buy boost is not open for this item any more. Nothing was recorded.',
    ja: '選択した買取強化は、この商品では受け付けていません。何も記録していません。',
  },
});
