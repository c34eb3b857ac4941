import type { Language } from '../../pages/language.ts';
import type { AskedStatus } from './asked-status.ts';

/** The words of a unit's page. */
export interface UnitWords {
  readonly stock: string;
  readonly edit: string;
  readonly photos: string;
  readonly noPhoto: string;
  readonly add: string;
  readonly replace: string;
  readonly remove: string;
  readonly photoHint: string;
  readonly large: string;
  readonly facts: string;
  readonly status: string;
  readonly since: (text: string) => string;
  readonly grade: string;
  readonly noGrade: string;
  readonly place: string;
  readonly price: string;
  readonly cost: string;
  readonly certificate: string;
  readonly serial: string;
  readonly ownership: string;
  readonly owned: string;
  readonly consigned: string;
  readonly acquired: string;
  readonly created: string;
  readonly changed: string;
  readonly id: string;
  readonly sameItem: string;
  readonly change: string;
  readonly final: string;
  readonly moveTitle: string;
  readonly moveTo: string;
  readonly move: string;
  readonly history: string;
  readonly when: string;
  readonly from: string;
  readonly to: string;
  readonly who: string;
  readonly noHistory: string;
  readonly moreHistory: string;
  readonly actors: Readonly<Record<'member' | 'app' | 'shop_key' | 'operator' | 'service', string>>;
  readonly feed: string;
  readonly feedHint: string;
  readonly position: string;
  readonly head: string;
  readonly readers: string;
  readonly readBy: (read: number, all: number) => string;
  readonly noReaders: string;
  readonly moreReaders: string;
  readonly app: string;
  readonly hasRead: string;
  readonly yes: string;
  readonly notYet: string;
  readonly lastRead: string;
  readonly never: string;
  readonly asks: Readonly<Record<AskedStatus, string>>;
  readonly confirmFinal: string;
  readonly confirmUndoable: string;
  readonly cancel: string;
}

export const UNIT_WORDS: Readonly<Record<Language, UnitWords>> = {
  en: {
    stock: 'Stock',
    edit: 'Edit',
    photos: 'Photos',
    noPhoto: 'No photo yet',
    add: 'Add the photo',
    replace: 'Replace the photo',
    remove: 'Remove the photo',
    photoHint: 'JPEG, PNG or WebP of at most 20 MB.',
    large: 'Open in full size',
    facts: 'Details',
    status: 'Status',
    since: (text) => `since ${text}`,
    grade: 'Grade',
    noGrade: 'Ungraded',
    place: 'Place',
    price: 'Price',
    cost: 'Cost',
    certificate: 'Certificate number',
    serial: 'Serial number',
    ownership: 'Ownership',
    owned: 'Own stock',
    consigned: 'On consignment',
    acquired: 'Acquired',
    created: 'Created',
    changed: 'Last change',
    id: 'Unit id',
    sameItem: 'All units of this item',
    change: 'Change the status',
    final: 'The status cannot be changed any more.',
    moveTitle: 'Move',
    moveTo: 'Move to',
    move: 'Move',
    history: 'History of the status',
    when: 'When',
    from: 'From',
    to: 'To',
    who: 'By',
    noHistory: 'The status has not changed since the unit was recorded.',
    moreHistory: 'Only the newest 200 changes are shown.',
    actors: {
      member: 'A member',
      app: 'An app',
      shop_key: 'API key',
      operator: 'The operator',
      service: 'The service',
    },
    feed: 'Position in the feed',
    feedHint: 'Apps read changes in the order of their positions.',
    position: 'Position of this change',
    head: 'Newest position of the shop',
    readers: 'Apps that have read it',
    readBy: (read, all) => `${read} of ${all} connected apps have read past it.`,
    noReaders: 'No app is connected.',
    moreReaders: 'Only the first 100 are shown, those that have not read it first.',
    app: 'App',
    hasRead: 'Has read it',
    yes: 'Yes',
    notYet: 'Not yet',
    lastRead: 'Last read',
    never: 'Never',
    asks: {
      returned: 'Mark this unit as returned?',
      voided: 'Void this unit?',
      written_off: 'Write off this unit?',
    },
    confirmFinal:
      'This is final. The unit stays in the records, and its status never changes again.',
    confirmUndoable: 'It leaves the stock. The write-off can be undone on the page of the unit.',
    cancel: 'Cancel',
  },
  ja: {
    stock: '在庫',
    edit: '編集',
    photos: '写真',
    noPhoto: '写真はまだありません',
    add: '写真を追加',
    replace: '写真を差し替え',
    remove: '写真を削除',
    photoHint: 'JPEG・PNG・WebP、20 MB まで。',
    large: '大きい写真を開く',
    facts: '詳細',
    status: '状態',
    since: (text) => `${text} から`,
    grade: 'グレード',
    noGrade: '未鑑定',
    place: '場所',
    price: '価格',
    cost: '原価',
    certificate: '鑑定番号',
    serial: 'シリアル番号',
    ownership: '所有区分',
    owned: '自店在庫',
    consigned: '委託品',
    acquired: '仕入日時',
    created: '登録日時',
    changed: '最終変更',
    id: '在庫品 ID',
    sameItem: '同じカード・商品の在庫を表示',
    change: '状態の変更',
    final: 'この状態からは変更できません。',
    moveTitle: '移動',
    moveTo: '移動先',
    move: '移動する',
    history: '状態の履歴',
    when: '日時',
    from: '変更前',
    to: '変更後',
    who: '変更者',
    noHistory: '登録されてから、状態は変わっていません。',
    moreHistory: '新しいほうから 200 件だけを表示しています。',
    actors: {
      member: 'メンバー',
      app: 'アプリ',
      shop_key: 'API キー',
      operator: '運営者',
      service: 'サービス',
    },
    feed: 'アプリへの反映',
    feedHint: 'アプリは変更を順番に読み取ります。',
    position: 'この変更の位置',
    head: 'ショップの最新の位置',
    readers: '読み取ったアプリ',
    readBy: (read, all) => `接続中のアプリ ${all} 件のうち ${read} 件が読み取りました。`,
    noReaders: '接続中のアプリはありません。',
    moreReaders: '先頭の 100 件だけを、まだ読み取っていないものから表示しています。',
    app: 'アプリ',
    hasRead: '読み取り',
    yes: '済み',
    notYet: '未',
    lastRead: '最後の読み取り',
    never: 'なし',
    asks: {
      returned: 'この在庫品を返却しますか？',
      voided: 'この在庫品を無効にしますか？',
      written_off: 'この在庫品を廃棄しますか？',
    },
    confirmUndoable: '在庫から外れます。廃棄は、在庫品のページで取り消せます。',
    confirmFinal:
      'この操作は取り消せません。在庫品の記録は残りますが、状態は二度と変更できません。',
    cancel: 'キャンセル',
  },
};
