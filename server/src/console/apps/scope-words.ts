import { html } from 'hono/html';
import type { Scope } from '../../apps/scope.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';

interface ScopeWords {
  readonly name: string;
  /** What the app will see of the shop, or be able to do. */
  readonly meaning: string;
}

export const WORDS: Readonly<Record<Language, Readonly<Record<Scope, ScopeWords>>>> = {
  en: {
    'purchase-boosts:read': {
      name: 'Buy boosts',
      meaning:
        'Sees the buy boosts that are open: which card or product, price, how many are still wanted, your note. The member who approves needs the permission to see buy boosts.',
    },
    'inventory:read': {
      name: 'Stock',
      meaning:
        'Sees your whole stock: sites, storage locations, every piece with its asking price, state and photos, and every change to it. Can search the card catalog and be told by webhook that stock has changed. No purchase prices unless the shop shares them with the app.',
    },
    openid: {
      name: 'Recognise the member',
      meaning: 'Learns an id of the member who approves, so that the app knows who came back.',
    },
    profile: {
      name: 'The member’s name',
      meaning:
        'Learns the name of the member who approves. Only together with “Recognise the member”.',
    },
    offline_access: {
      name: 'Stay connected',
      meaning:
        'Goes on working while no member is there. Without it, a member has to approve the app again every 15 minutes: almost every app needs it.',
    },
  },
  ja: {
    'purchase-boosts:read': {
      name: '買取強化',
      meaning:
        '実施中の買取強化（対象のカード・商品、価格、残り数量、コメント）を閲覧できます。承認するメンバーに買取強化の閲覧権限が必要です。',
    },
    'inventory:read': {
      name: '在庫',
      meaning:
        '全在庫（拠点、保管場所、すべての在庫品の販売価格・状態・写真）とその変更を閲覧できます。カードカタログの検索と、在庫の変更を知らせる Webhook の登録もできます。原価は、ショップがアプリと共有しない限り見えません。',
    },
    openid: {
      name: 'メンバーの識別',
      meaning: '承認したメンバーの ID が伝わります。アプリが再訪した人を識別するためのものです。',
    },
    profile: {
      name: 'メンバーの名前',
      meaning: '承認したメンバーの名前が伝わります。「メンバーの識別」と合わせて使います。',
    },
    offline_access: {
      name: '接続の維持',
      meaning:
        'メンバーがいない間も動作を続けます。これがないと 15 分ごとに再承認が必要になるため、ほとんどのアプリに必要です。',
    },
  },
};

/** The scopes in the order in which they are explained: what is seen of the shop first. */
export const SCOPES_IN_ORDER: readonly Scope[] = [
  'inventory:read',
  'purchase-boosts:read',
  'offline_access',
  'openid',
  'profile',
];

/** What a scope is called. */
export function scopeName(scope: Scope, language: Language): string {
  return WORDS[language][scope].name;
}

/** What an app that holds it will see, in a sentence or two. */
export function scopeMeaning(scope: Scope, language: Language): string {
  return WORDS[language][scope].meaning;
}

/** Scopes by their names, for a cell: `Stock, Stay connected`. */
export function scopeNames(scopes: readonly Scope[], language: Language): string {
  const names = sorted(scopes).map((scope) => scopeName(scope, language));
  return names.join(language === 'ja' ? '、' : ', ');
}

/** Scopes with what they mean. */
export function scopeList(scopes: readonly Scope[], language: Language): Markup {
  return html`<ul class="scopes">
    ${sorted(scopes).map(
      (scope) =>
        html`<li>
          <strong>${scopeName(scope, language)}</strong> <code>${scope}</code>
          <p class="soft small">${scopeMeaning(scope, language)}</p>
        </li>`,
    )}
  </ul>`;
}

function sorted(scopes: readonly Scope[]): readonly Scope[] {
  return SCOPES_IN_ORDER.filter((scope) => scopes.includes(scope));
}
