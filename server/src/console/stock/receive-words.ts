import type { Language } from '../../pages/language.ts';

/** The words of the form that takes units in. */
export interface ReceiveWords {
  readonly title: string;
  readonly stock: string;
  readonly card: string;
  readonly product: string;
  readonly what: string;
  readonly kind: string;
  readonly cardKind: string;
  readonly productKind: string;
  readonly choosePlace: string;
  readonly grade: string;
  readonly noGrade: string;
  readonly quantity: string;
  readonly quantityHint: string;
  readonly place: string;
  readonly details: string;
  readonly receive: string;
  readonly faults: string;
  readonly noItem: string;
  readonly noQuantity: string;
  readonly noPlace: string;
  readonly numbersOfOne: string;
  readonly noPlaces: string;
  readonly addPlace: string;
  readonly received: (units: number, name: string) => string;
  readonly open: (units: number) => string;
}

export const RECEIVE_WORDS: Readonly<Record<Language, ReceiveWords>> = {
  en: {
    title: 'Receive stock',
    stock: 'Stock',
    card: 'Card',
    product: 'Sealed product',
    what: 'What comes in',
    kind: 'What do you receive?',
    cardKind: 'Cards',
    productKind: 'Sealed products',
    choosePlace: 'Choose a place',
    grade: 'Grade',
    noGrade: 'Ungraded',
    quantity: 'Quantity',
    quantityHint: 'From 1 to 100; each piece becomes a unit of its own.',
    place: 'Place',
    details: 'Price and details',
    receive: 'Receive',
    faults: 'Nothing was received',
    noItem: 'Choose a card or a product.',
    noQuantity: 'Enter a whole number from 1 to 100.',
    noPlace: 'Choose where the pieces are put.',
    numbersOfOne: 'Certificate and serial numbers belong to one piece: receive it by itself.',
    noPlaces: 'The shop has no site yet. Add one first.',
    addPlace: 'Add a site',
    received: (units, name) => `Received: ${units} × ${name}.`,
    open: (units) => (units === 1 ? 'Open the unit' : 'Open the first unit'),
  },
  ja: {
    title: '入庫',
    stock: '在庫',
    card: 'カード',
    product: '未開封商品',
    what: '入庫するもの',
    kind: '入庫の対象',
    cardKind: 'カード',
    productKind: '未開封商品',
    choosePlace: '選んでください',
    grade: 'グレード',
    noGrade: '未鑑定',
    quantity: '数量',
    quantityHint: '1 から 100 まで。1 点ごとに在庫品として登録します。',
    place: '場所',
    details: '価格と詳細',
    receive: '入庫する',
    faults: '入庫できませんでした',
    noItem: 'カードまたは商品を選んでください。',
    noQuantity: '1 から 100 までの整数を入力してください。',
    noPlace: '保管する場所を選んでください。',
    numbersOfOne: '鑑定番号・シリアル番号を入力する場合は、1 点ずつ入庫してください。',
    noPlaces: '拠点がまだありません。先に拠点を追加してください。',
    addPlace: '拠点を追加',
    received: (units, name) => `「${name}」を ${units} 点入庫しました。`,
    open: (units) => (units === 1 ? '在庫品を開く' : '最初の 1 点を開く'),
  },
};
