import { consoleMessages } from '../shared-messages.ts';

export const invitationMessages = consoleMessages({
  by: { en: 'Invited by', ja: '招待した人' },
  operator: { en: 'The operator of this service', ja: 'このサービスの運営者' },
  to: { en: 'For the address', ja: '招待先のアドレス' },
  until: { en: 'Can be accepted until', ja: '承諾の期限' },
  may: { en: 'What you may do in this shop', ja: 'このショップでできること' },
  mayNothing: {
    en: 'See its Home page. The shop can give you more at any time.',
    ja: 'ホームの閲覧のみです。権限はショップがいつでも追加できます。',
  },
  name: { en: 'Your name', ja: 'お名前' },
  nameHint: {
    en: 'As the other members of the shop will see it.',
    ja: 'ショップのほかのメンバーに表示されます。',
  },
  badName: {
    en: 'Enter a name of 1 to 200 characters that can be seen, without line breaks.',
    ja: '名前は 1〜200 文字で、改行や見えない文字なしで入力してください。',
  },
  accept: { en: 'Accept the invitation', ja: '招待を承諾する' },
  notAccepted: { en: 'The invitation was not accepted', ja: '招待はまだ承諾されていません' },
  known: {
    en: 'There is an account for this address already. Sign in with it, and you return here.',
    ja: 'このアドレスのアカウントはすでにあります。ログインすると、この画面に戻ります。',
  },
  signIn: { en: 'Sign in', ja: 'ログイン' },
  invited: { en: 'You are signed in with this address.', ja: 'このアドレスでログインしています。' },
  other: {
    en: (email: string) =>
      `You are signed in as ${email}, and this invitation is for another address. Sign out first.`,
    ja: (email: string) =>
      `${email} でログインしていますが、この招待は別のアドレス宛てです。先にログアウトしてください。`,
  },
  gone: { en: 'This invitation is not valid', ja: 'この招待は使えません' },
  goneText: {
    en: 'It was accepted already, withdrawn, replaced by a newer one, or it is too old. Open the link of your newest mail again, or ask the shop for another invitation.',
    ja: 'すでに承諾されたか、取り消されたか、新しい招待に置き換わったか、期限が切れています。最新のメールのリンクを開き直すか、ショップに再度の招待を依頼してください。',
  },
  goneMember: {
    en: 'If you have accepted it, sign in:',
    ja: 'すでに承諾された方は、ログインしてください。',
  },
  throttled: { en: 'Too many attempts', ja: '試行回数が多すぎます' },
  throttledText: {
    en: (seconds: number) => `Try again in ${seconds} seconds.`,
    ja: (seconds: number) => `${seconds} 秒後にもう一度お試しください。`,
  },
});
