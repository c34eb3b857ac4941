import type { Language } from '../../pages/language.ts';

/** The words of the form that takes units in. */
export interface ReceiveWords {
  readonly title: string;
  readonly stock: string;
  readonly card: string;
  readonly product: string;
  readonly what: string;
  readonly grade: string;
  readonly noGrade: string;
  readonly quantity: string;
  readonly quantityHint: string;
  readonly place: string;
  readonly details: string;
  readonly receive: string;
  readonly faults: string;
  readonly noItem: string;
  readonly both: string;
  readonly noQuantity: string;
  readonly noPlace: string;
  readonly numbersOfOne: string;
  readonly gradeOfCard: string;
  readonly noPlaces: string;
  readonly addPlace: string;
  readonly received: (units: number, name: string) => string;
  readonly open: string;
}

export const RECEIVE_WORDS: Readonly<Record<Language, ReceiveWords>> = {
  en: {
    title: 'Receive stock',
    stock: 'Stock',
    card: 'Card',
    product: 'Product',
    what: 'What comes in',
    grade: 'Grade',
    noGrade: 'Ungraded',
    quantity: 'Quantity',
    quantityHint: 'From 1 to 100; each piece becomes a unit of its own.',
    place: 'Place',
    details: 'Price and details',
    receive: 'Receive',
    faults: 'Nothing was received',
    noItem: 'Choose a card or a product.',
    both: 'Choose either a card or a product, not both.',
    noQuantity: 'Type a whole number from 1 to 100.',
    noPlace: 'Choose where the pieces are put.',
    numbersOfOne: 'Certificate and serial numbers belong to one piece: receive it by itself.',
    gradeOfCard: 'Only cards have a grade.',
    noPlaces: 'The shop has no site yet. Add one first.',
    addPlace: 'Add a site',
    received: (units, name) => `Received: ${units} × ${name}.`,
    open: 'Open the unit',
  },
  ja: {
    title: '入庫',
    stock: '在庫',
    card: 'カード',
    product: '商品',
    what: '入庫するもの',
    grade: 'グレード',
    noGrade: '未鑑定',
    quantity: '数量',
    quantityHint: '1 から 100 まで。1 点ごとに在庫品として登録します。',
    place: '場所',
    details: '価格と詳細',
    receive: '入庫する',
    faults: '入庫できませんでした',
    noItem: 'カードまたは商品を選択してください。',
    both: 'カードと商品のどちらか一方を選択してください。',
    noQuantity: '1 から 100 までの整数を入力してください。',
    noPlace: '保管する場所を選択してください。',
    numbersOfOne: '鑑定番号とシリアル番号は 1 点ずつ入庫するときに入力してください。',
    gradeOfCard: 'グレードはカードだけに設定できます。',
    noPlaces: '拠点がまだありません。先に拠点を追加してください。',
    addPlace: '拠点を追加',
    received: (units, name) => `${name} を ${units} 点入庫しました。`,
    open: '在庫品を開く',
  },
};
