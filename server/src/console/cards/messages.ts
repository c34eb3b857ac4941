import type { Message } from '../../pages/messages.ts';
import { consoleMessages } from '../shared-messages.ts';
import { type PickKind, SEARCH_CHARACTERS_MAX } from './pick.ts';

export const pickerMessages = consoleMessages({
  hint: {
    card: {
      en: 'Search by name, number, set or JAN, then choose.',
      ja: '名前・番号・セット・JAN で検索して選んでください。',
    },
    product: {
      en: 'Search by name or JAN, then choose.',
      ja: '名前・JAN で検索して選んでください。',
    },
  } satisfies Readonly<Record<PickKind, Message>>,
  find: {
    card: { en: 'Search cards', ja: 'カードを検索' },
    product: { en: 'Search products', ja: '商品を検索' },
  } satisfies Readonly<Record<PickKind, Message>>,
  none: { en: 'None of these', ja: 'どれも選ばない' },
  count: {
    en: (shown: number) => (shown === 1 ? '1 result' : `${shown} results`),
    ja: (shown: number) => `${shown} 件見つかりました`,
  },
  nothing: {
    card: {
      en: 'Nothing was found. Try another spelling, the number or the set.',
      ja: '見つかりませんでした。別の表記や番号、セット名でお試しください。',
    },
    product: {
      en: 'Nothing was found. Try another spelling or the JAN.',
      ja: '見つかりませんでした。別の表記または JAN でお試しください。',
    },
  } satisfies Readonly<Record<PickKind, Message>>,
  tooLong: {
    en: `Search for at most ${SEARCH_CHARACTERS_MAX} characters.`,
    ja: `検索できるのは ${SEARCH_CHARACTERS_MAX} 文字までです。`,
  },
  empty: { en: 'Enter something to search for.', ja: '検索する言葉を入力してください。' },
  failed: {
    en: 'The search did not answer. Try again.',
    ja: '検索できませんでした。もう一度お試しください。',
  },
});
