import { defineMessages } from '../../../pages/messages.ts';
import { shared } from '../../shared-messages.ts';

export const appFormMessages = defineMessages({
  name: shared.name,
  nameHint: {
    en: 'Members see it when the app asks for their approval.',
    ja: 'アプリが承認を求めるときに、メンバーに表示されます。',
  },
  nameFault: {
    en: (max: number) => `Enter a name of 1 to ${max} characters, without spaces around it.`,
    ja: (max: number) => `名前は 1〜${max} 文字で、前後に空白を入れずに入力してください。`,
  },
  email: { en: 'Contact e-mail (optional)', ja: '連絡先メールアドレス（任意）' },
  emailHint: {
    en: 'Whom to ask when the app does not work: its developer.',
    ja: 'アプリが動かないときの問い合わせ先（開発者）です。',
  },
  emailFault: {
    en: 'Enter an e-mail address such as developer@app.example, or leave it empty.',
    ja: 'developer@app.example のようなメールアドレスを入力するか、空欄にしてください。',
  },
  uris: shared.redirectUris,
  urisHint: {
    en: (max: number) =>
      `The developer tells you these: where the browser returns to after a member has approved. One on each line, at most ${max}, compared exactly as written. Webhooks may only go to the same hosts.`,
    ja: (max: number) =>
      `メンバーの承認後にブラウザが戻るアドレスで、開発者から伝えられます。1 行に 1 つ、最大 ${max} 個、入力どおりに照合されます。Webhook の送信先も同じホストに限られます。`,
  },
  urisFault: { en: 'Some addresses are not valid:', ja: 'アドレスに問題があります。' },
  scopes: { en: 'What the app may ask for', ja: 'アプリが求めることのできる権限' },
  scopesHint: {
    en: 'Tick what the app needs and nothing else. A member still has to approve it before the app sees anything.',
    ja: 'アプリに必要なものだけを選んでください。実際に見えるようになるのは、メンバーが承認した後です。',
  },
  scopesFault: {
    en: 'Tick at least “Stock” or “Buy boosts”: without either, the app can do nothing.',
    ja: '「在庫」か「買取強化」を選んでください。どちらもないとアプリは何もできません。',
  },
  profileFault: {
    en: '“The member’s name” works only together with “Recognise the member”.',
    ja: '「メンバーの名前」は「メンバーの識別」と合わせて選んでください。',
  },
  cost: shared.cost,
  costLabel: {
    en: 'Share with this app what each piece has cost the shop',
    ja: '在庫品の原価（仕入れ価格）をこのアプリと共有する',
  },
  costHint: {
    en: 'The app sees purchase prices only if this is ticked, it has “Stock”, and the member who approves may see costs. Leave it off unless the app is for bookkeeping or the like.',
    ja: '原価が見えるのは、ここを選び、アプリに「在庫」があり、承認するメンバーに原価の閲覧権限がある場合だけです。会計などに使うアプリでなければ選ばないでください。',
  },
  checkFailed: {
    en: 'The addresses could not be checked just now. They are checked when you send the form.',
    ja: 'いまアドレスを確認できませんでした。送信時に確認します。',
  },
});

export const redirectUriMessages = defineMessages({
  elsewhere: {
    en: (href: string) => `leads elsewhere than it reads: write it as ${href}`,
    ja: (href: string) => `は実際の行き先と異なります。${href} と入力してください`,
  },
  line: {
    en: (number: number, uri: string, fault: string) => `Line ${number}: ${uri} ${fault}.`,
    ja: (number: number, uri: string, fault: string) => `${number} 行目：${uri} ${fault}。`,
  },
  none: { en: 'Enter at least one address.', ja: 'アドレスを 1 つ以上入力してください。' },
  tooMany: {
    en: (max: number) => `At most ${max} addresses.`,
    ja: (max: number) => `アドレスは ${max} 個までです。`,
  },
  twice: { en: 'stands there twice', ja: 'が重複しています' },
  good: {
    en: (count: number) => (count === 1 ? '1 valid address.' : `${count} valid addresses.`),
    ja: (count: number) => `${count} 個のアドレスに問題はありません。`,
  },
  faults: {
    too_long: { en: 'longer than 2,048 characters', ja: 'は 2,048 文字を超えています' },
    characters: {
      en: 'holds spaces or characters that must be percent-encoded',
      ja: 'に空白またはパーセントエンコードが必要な文字が含まれています',
    },
    not_absolute: {
      en: 'is no whole address: it begins with https:// and a host',
      ja: 'は完全なアドレスではありません。https:// とホスト名から始めてください',
    },
    fragment: { en: 'must not contain #', ja: 'に # を含めることはできません' },
    user: {
      en: 'must not name a user or password',
      ja: 'にユーザー名やパスワードを含めることはできません',
    },
    not_https: {
      en: 'must begin with https:// (http:// is for localhost only)',
      ja: 'は https:// で始めてください（http:// は localhost のみ使えます）',
    },
    pattern: {
      en: 'must not contain * in its host: every address is written out',
      ja: 'のホスト名に * は使えません。アドレスを 1 つずつ入力してください',
    },
  },
});
