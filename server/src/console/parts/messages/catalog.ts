import type { BoostStatus } from '../../../boosts/boost-status.ts';
import type { UnitStatus } from '../../../inventory/unit-status.ts';
import { defineMessages, type Message } from '../../../html/messages.ts';
import { consoleMessages, sharedMessages } from '../../shared-messages.ts';
import { type CatalogKind, SEARCH_CHARACTERS_MAX } from '../catalog-lookup.ts';

export const itemFieldMessages = defineMessages({
  card: { en: 'Card', ja: 'カード' },
  product: { en: 'Sealed product', ja: '未開封商品' },
  grade: sharedMessages.grade,
  none: {
    card: { en: 'Choose a card from the list.', ja: '一覧からカードを選択してください。' },
    product: { en: 'Choose a product from the list.', ja: '一覧から商品を選択してください。' },
  } satisfies Readonly<Record<CatalogKind, Message>>,
});

export const pickerMessages = consoleMessages({
  hint: {
    card: {
      en: 'Search by name, number, set or JAN, then choose a card.',
      ja: '名前・番号・セット・JAN で検索して選択してください。',
    },
    product: {
      en: 'Search by name or JAN, then choose a product.',
      ja: '名前・JAN で検索して選択してください。',
    },
  } satisfies Readonly<Record<CatalogKind, Message>>,
  find: {
    card: { en: 'Search cards', ja: 'カードを検索' },
    product: { en: 'Search products', ja: '商品を検索' },
  } satisfies Readonly<Record<CatalogKind, Message>>,
  count: {
    en: (shown: number) => (shown === 1 ? '1 result' : `${shown} results`),
    ja: (shown: number) => `検索結果 ${shown} 件`,
  },
  nothing: {
    card: {
      en: 'No results. Try another spelling, the number or the set.',
      ja: '見つかりませんでした。別の表記や番号、セット名でお試しください。',
    },
    product: {
      en: 'No results. Try another spelling or the JAN.',
      ja: '見つかりませんでした。別の表記または JAN でお試しください。',
    },
  } satisfies Readonly<Record<CatalogKind, Message>>,
  tooLong: {
    en: `Enter at most ${SEARCH_CHARACTERS_MAX} characters.`,
    ja: `${SEARCH_CHARACTERS_MAX} 文字以内で検索してください。`,
  },
  empty: { en: 'Enter a search term.', ja: '検索キーワードを入力してください。' },
  failed: {
    en: 'The search failed. Try again.',
    ja: '検索できませんでした。もう一度お試しください。',
  },
});

export const unitStatusMessages = defineMessages({
  in_stock: { en: 'In stock', ja: '在庫あり' },
  reserved: { en: 'Reserved', ja: '取り置き中' },
  in_transit: { en: 'In transit', ja: '移動中' },
  grading: { en: 'At grading', ja: '鑑定中' },
  sold: { en: 'Sold', ja: '販売済み' },
  returned: { en: 'Returned', ja: '返却済み' },
  written_off: { en: 'Written off', ja: '除却済み' },
  voided: { en: 'Voided', ja: '登録取消' },
} satisfies Readonly<Record<UnitStatus, Message>>);

export const boostStateMessages = defineMessages({
  open: { en: 'Open', ja: '受付中' },
  filled: { en: 'Filled', ja: '上限到達' },
  scheduled: { en: 'Scheduled', ja: '開始前' },
  paused: { en: 'Paused', ja: '一時停止中' },
  expired: { en: 'Expired', ja: '期限切れ' },
  ended: sharedMessages.ended,
} satisfies Readonly<Record<BoostStatus, Message>>);
