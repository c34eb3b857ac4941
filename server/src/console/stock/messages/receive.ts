import { consoleMessages } from '../../shared-messages.ts';

export const receiveLineMessages = consoleMessages({
  scan: { en: 'Card or product', ja: 'カード・商品' },
  scanHint: {
    en: 'Scan a code, or type a JAN, card number or name, then press Enter.',
    ja: 'コードをスキャンするか、JAN・カード番号・名前を入力して Enter を押してください。',
  },
  added: {
    en: (name: string) => `Added ${name}. Scan or type the next one.`,
    ja: (name: string) => `「${name}」を追加しました。続けてスキャンまたは入力できます。`,
  },
  add: { en: 'Add', ja: '追加' },
  choose: { en: 'Choose the item to add', ja: '追加する商品を選択' },
  several: {
    en: (shown: string) =>
      shown === '1' ? '1 match. Choose it.' : `${shown} matches. Choose one.`,
    ja: (shown: string) =>
      `${shown} 件見つかりました。${shown === '1' ? '選択すると追加されます' : '1 件選択してください'}。`,
  },
  scanErrors: {
    empty: {
      en: 'Scan or type at least one item.',
      ja: '入庫する商品をスキャンまたは入力してください。',
    },
    nothing: {
      en: 'No card or product matches. Check the code, or search by name.',
      ja: '一致するカード・商品がありません。コードを確認するか、名前で検索してください。',
    },
    too_long: { en: 'This text is too long to search for.', ja: '文字数が多すぎます。' },
    unavailable: {
      en: 'The search is busy. Try again in a few seconds.',
      ja: '検索が混み合っています。数秒後にもう一度お試しください。',
    },
  },
  next: { en: 'For the next items', ja: '次に追加する商品' },
  more: { en: 'Ownership and date', ja: '所有区分・仕入日時' },
  lines: { en: 'Items to receive', ja: '入庫する商品' },
  item: { en: 'Item', ja: '商品' },
  quantity: { en: 'Quantity', ja: '数量' },
  quantityOf: {
    en: (name: string) => `Quantity of ${name}`,
    ja: (name: string) => `「${name}」の数量`,
  },
  remove: { en: 'Remove', ja: '削除' },
  tooManyLines: {
    en: (max: number) => `You can receive at most ${max} lines at a time. Receive these first.`,
    ja: (max: number) => `一度に追加できるのは ${max} 行までです。先に入庫してください。`,
  },
  tooManyUnits: {
    en: (max: number) => `You can receive at most ${max} units at a time. Receive them in parts.`,
    ja: (max: number) => `一度に入庫できるのは ${max} 点までです。分けて入庫してください。`,
  },
  known: {
    en: 'This line was already received. Remove it, then receive the others.',
    ja: 'この行は入庫済みです。削除してください。ほかの行はまだ入庫していません。',
  },
  ofLine: {
    en: (name: string, text: string) => `${name}: ${text}`,
    ja: (name: string, text: string) => `「${name}」：${text}`,
  },
});

export const receivedTodayMessages = consoleMessages({
  title: { en: 'Received today', ja: '本日の入庫' },
  nothing: { en: 'Nothing yet.', ja: 'まだありません。' },
  item: { en: 'Item', ja: '商品' },
  quantity: { en: 'Quantity', ja: '数量' },
  by: { en: 'By', ja: '担当' },
  undone: { en: 'Undone', ja: '取り消し済み' },
  more: {
    en: (max: number) => `Showing the last ${max}.`,
    ja: (max: number) => `最新の ${max} 件を表示しています。`,
  },
});
