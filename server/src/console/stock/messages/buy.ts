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
    en: (currency: string) => `What you paid, in ${currency}.`,
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
