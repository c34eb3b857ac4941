import type { Language } from '../pages/language.ts';
import type { Permission } from '../shops/permission.ts';

interface PermissionWords {
  readonly name: string;
  /** What its holder may do. */
  readonly meaning: string;
}

export const WORDS: Readonly<Record<Language, Readonly<Record<Permission, PermissionWords>>>> = {
  en: {
    'purchases.read': {
      name: 'See buy boosts',
      meaning: 'Sees all buy boosts and what was bought on them.',
    },
    'purchases.write': {
      name: 'Change buy boosts',
      meaning: 'Makes buy boosts, changes, pauses and ends them.',
    },
    'inventory.read': {
      name: 'See stock',
      meaning: 'Sees stock, photos, sites and locations; no costs.',
    },
    'inventory.write': {
      name: 'Change stock',
      meaning:
        'Takes stock in, moves, reserves, sells and writes off; photos; sites and locations.',
    },
    'inventory.cost': {
      name: 'See costs',
      meaning: 'Sees and sets what pieces of stock have cost.',
    },
    'integrations.manage': {
      name: 'Manage apps',
      meaning: 'Registers and removes apps, ends connections, makes API keys, reads the audit.',
    },
    'members.manage': {
      name: 'Manage members',
      meaning: 'Invites members, gives and takes permissions, reads the audit.',
    },
  },
  ja: {
    'purchases.read': { name: '買取強化の閲覧', meaning: '買取強化とその買取実績を閲覧できます。' },
    'purchases.write': {
      name: '買取強化の編集',
      meaning: '買取強化の作成・変更・一時停止・終了ができます。',
    },
    'inventory.read': {
      name: '在庫の閲覧',
      meaning: '在庫・写真・拠点・保管場所を閲覧できます(原価を除く)。',
    },
    'inventory.write': {
      name: '在庫の編集',
      meaning: '入庫・移動・取り置き・販売・廃棄、写真、拠点と保管場所の編集ができます。',
    },
    'inventory.cost': { name: '原価の閲覧', meaning: '在庫の原価を閲覧・設定できます。' },
    'integrations.manage': {
      name: 'アプリの管理',
      meaning: 'アプリの登録と削除、接続の終了、APIキーの作成、監査ログの閲覧ができます。',
    },
    'members.manage': {
      name: 'メンバーの管理',
      meaning: 'メンバーの招待、権限の変更、監査ログの閲覧ができます。',
    },
  },
};

/** What a permission is called. */
export function permissionName(permission: Permission, language: Language): string {
  return WORDS[language][permission].name;
}

/** What a permission's holder may do, in a sentence. */
export function permissionMeaning(permission: Permission, language: Language): string {
  return WORDS[language][permission].meaning;
}
