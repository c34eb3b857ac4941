import { defineMessages } from '../../../html/messages.ts';
import { sharedMessages } from '../../shared-messages.ts';

export const appFormMessages = defineMessages({
  name: sharedMessages.name,
  nameHint: {
    en: 'Members see this name when the app asks for approval.',
    ja: 'アプリが承認を求めるときに、メンバーに表示されます。',
  },
  badName: sharedMessages.badName,
  email: { en: 'Contact email (optional)', ja: '連絡先メールアドレス（任意）' },
  emailHint: {
    en: 'The developer to contact if the app has a problem.',
    ja: 'アプリに問題があるときの開発者の連絡先です。',
  },
  emailFault: {
    en: 'Enter an email address such as developer@app.example, or leave empty.',
    ja: 'メールアドレス（例：developer@app.example）を入力するか、空欄にしてください。',
  },
  uris: sharedMessages.redirectUris,
  urisHint: {
    en: (max: number) =>
      `Ask the developer for these. The browser returns to one of them after a member approves the app. One per line, at most ${max}; they must match exactly. Webhooks can only use the same hosts.`,
    ja: (max: number) =>
      `メンバーの承認後にブラウザが戻るアドレスです。開発者に確認してください。1 行に 1 つ、最大 ${max} 個まで。完全一致で照合されます。Webhook の送信先も同じホストに限られます。`,
  },
  urisFault: { en: 'Some redirect URIs are not valid:', ja: 'リダイレクト URI に問題があります。' },
  scopes: { en: 'What the app can access', ja: 'アプリに許可できる範囲' },
  scopesHint: {
    en: 'Select only what the app needs. The app sees nothing until a member approves it.',
    ja: 'アプリに必要なものだけを選択してください。メンバーが承認するまで、アプリはデータを取得できません。',
  },
  scopesFault: {
    en: 'Select “Stock”, “Buy boosts” or both. Without either, the app cannot do anything.',
    ja: '「在庫」または「買取強化」を選択してください。どちらもない場合、アプリは何も操作できません。',
  },
  profileFault: {
    en: '“Member’s name” requires “Recognize the member”. Select both.',
    ja: '「メンバーの名前」は「メンバーの識別」とあわせて選択してください。',
  },
  cost: sharedMessages.cost,
  costLabel: {
    en: 'Share the cost of each unit with this app',
    ja: '在庫品の原価をこのアプリと共有する',
  },
  costHint: {
    en: 'The app sees costs only if this is selected, it can access “Stock”, and the approving member can view costs. Select it only for apps such as accounting software.',
    ja: 'アプリが原価を取得できるのは、この項目と「在庫」を選択し、承認するメンバーに原価の閲覧権限がある場合だけです。会計ソフトなど、必要なアプリでのみ選択してください。',
  },
  checkFailed: {
    en: 'The redirect URIs could not be checked right now. They are checked when you save.',
    ja: 'リダイレクト URI を確認できませんでした。保存時に確認します。',
  },
});

export const redirectUriMessages = defineMessages({
  elsewhere: {
    en: (href: string) => `resolves to a different address: enter ${href}`,
    ja: (href: string) => `は別のアドレスとして扱われます。${href} と入力してください`,
  },
  line: {
    en: (number: number, uri: string, fault: string) => `Line ${number}: ${uri} ${fault}.`,
    ja: (number: number, uri: string, fault: string) => `${number} 行目：${uri} ${fault}。`,
  },
  none: {
    en: 'Enter at least one redirect URI.',
    ja: 'リダイレクト URI を 1 つ以上入力してください。',
  },
  tooMany: {
    en: (max: number) => `Enter at most ${max} redirect URIs.`,
    ja: (max: number) => `リダイレクト URI は ${max} 個までです。`,
  },
  twice: { en: 'is entered twice', ja: 'が重複しています' },
  good: {
    en: (count: number) =>
      count === 1 ? '1 valid redirect URI.' : `${count} valid redirect URIs.`,
    ja: (count: number) => `${count} 個のリダイレクト URI に問題はありません。`,
  },
  faults: {
    too_long: { en: 'is longer than 2,048 characters', ja: 'は 2,048 文字を超えています' },
    characters: {
      en: 'contains spaces or characters that must be percent-encoded',
      ja: 'に空白またはパーセントエンコードが必要な文字が含まれています',
    },
    not_absolute: {
      en: 'must be a full address, beginning with https:// and a host',
      ja: 'は完全なアドレスではありません。https:// とホスト名から始めてください',
    },
    fragment: { en: 'must not contain #', ja: 'に # を含めることはできません' },
    user: {
      en: 'must not contain a user name or password',
      ja: 'にユーザー名やパスワードを含めることはできません',
    },
    not_https: {
      en: 'must begin with https:// (http:// is allowed only for localhost)',
      ja: 'は https:// で始めてください（http:// は localhost のみ使えます）',
    },
    pattern: {
      en: 'must not contain * in its host. Enter each address separately',
      ja: 'のホスト名に * は使えません。アドレスを 1 つずつ入力してください',
    },
  },
});
