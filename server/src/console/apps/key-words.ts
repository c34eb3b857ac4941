import type { Language } from '../../pages/language.ts';

/** Bound of a key's name (`shops/shop-key.ts`), in code points. */
export const KEY_NAME_MAX = 200;

interface Words {
  readonly title: string;
  readonly apps: string;
  readonly intro: string;
  readonly caption: string;
  readonly name: string;
  readonly nameHint: string;
  readonly nameFault: string;
  readonly refused: string;
  readonly tooMany: string;
  readonly mayNot: string;
  readonly unnamed: string;
  readonly made: string;
  readonly lastUse: string;
  readonly actions: string;
  readonly remove: string;
  readonly make: string;
  readonly makeButton: string;
  readonly none: string;
  readonly noneText: string;
  readonly key: string;
  readonly shownTitle: (name: string) => string;
  readonly once: string;
  readonly lines: string;
  readonly done: string;
  readonly gone: string;
  readonly goneText: string;
  readonly removeTitle: (name: string) => string;
  readonly removeText: string;
  readonly removeButton: string;
  readonly keep: string;
}

/** What the pages of a shop's API keys say. */
export const KEY_WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: 'API keys',
    apps: 'Apps',
    intro:
      'With a key your own systems, such as a till or a web shop, write stock and buy boosts through the Shop API. A key may do everything there, so give each system its own, and none to apps of other makers: those are registered and approved.',
    caption: 'API keys of this shop',
    name: 'Name',
    nameHint: 'Which system uses it, such as “Till at the counter”.',
    nameFault: `Enter a name of 1 to ${KEY_NAME_MAX} characters.`,
    refused: 'No key was created:',
    tooMany: 'A shop has at most 50 keys. Remove one that is not used any more.',
    mayNot:
      'A key reads and writes all stock with its costs, and all buy boosts. Only a member who holds all of these permissions can make one.',
    unnamed: 'Without a name',
    made: 'Created',
    lastUse: 'Last used',
    actions: 'Actions',
    remove: 'Remove',
    make: 'Create a key',
    makeButton: 'Create the key',
    none: 'No key yet',
    noneText: 'Only your own systems need one. Members and apps work without.',
    key: 'API key',
    shownTitle: (name) => `The API key “${name}”`,
    once: 'The key is shown on this page only, and only now. Copy it before you leave the page.',
    lines: 'For the developer',
    done: 'I have copied it',
    gone: 'The key was shown before',
    goneText:
      'It is shown once and cannot be shown again. If nobody has copied it, remove it and make another one.',
    removeTitle: (name) => `Remove the API key “${name}”?`,
    removeText:
      'The system that uses it is refused at its next call, until it has another key. What it has written stays.',
    removeButton: 'Remove the key',
    keep: 'Keep it',
  },
  ja: {
    title: 'API キー',
    apps: 'アプリ',
    intro:
      'レジや自社サイトなど、ショップ自身のシステムが Shop API で在庫と買取強化を書き込むためのキーです。キーではすべての書き込みができるため、システムごとに分け、ほかの会社のアプリには渡さないでください（アプリは登録と承認で利用します）。',
    caption: 'このショップの API キー',
    name: '名前',
    nameHint: '使用するシステム（例：店頭レジ）を入力してください。',
    nameFault: `名前は 1〜${KEY_NAME_MAX} 文字で入力してください。`,
    refused: 'キーは作成されませんでした。',
    tooMany: 'キーは 1 ショップにつき 50 個までです。使っていないキーを削除してください。',
    mayNot:
      'キーを使うと、原価を含むすべての在庫と買取強化を閲覧・変更できます。作成できるのは、これらの権限をすべて持つメンバーだけです。',
    unnamed: '名前なし',
    made: '作成日時',
    lastUse: '最終使用',
    actions: '操作',
    remove: '削除',
    make: 'キーを作成',
    makeButton: 'キーを作成する',
    none: 'キーはまだありません',
    noneText: '必要なのはショップ自身のシステムだけです。メンバーやアプリには必要ありません。',
    key: 'API キー',
    shownTitle: (name) => `API キー「${name}」`,
    once: 'キーが表示されるのはこの画面だけ、今回限りです。離れる前にコピーしてください。',
    lines: '開発者向け',
    done: 'コピーしました',
    gone: 'キーは表示済みです',
    goneText:
      '表示は 1 回限りで、再表示はできません。控えていない場合は、削除して新しく作成してください。',
    removeTitle: (name) => `API キー「${name}」を削除しますか？`,
    removeText:
      'このキーを使うシステムは、別のキーを設定するまで、次の呼び出しから拒否されます。書き込んだ内容は残ります。',
    removeButton: 'キーを削除する',
    keep: '削除しない',
  },
};
