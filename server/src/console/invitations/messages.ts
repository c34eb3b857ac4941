import { consoleMessages } from '../shared-messages.ts';

export const invitationMessages = consoleMessages({
  by: { en: 'Invited by', ja: '招待した人' },
  operator: { en: 'The operator of this service', ja: 'このサービスの運営者' },
  to: { en: 'Email', ja: '招待先のアドレス' },
  until: { en: 'Expires', ja: '有効期限' },
  may: { en: 'Your permissions in this shop', ja: 'このショップでの権限' },
  mayNothing: {
    en: 'Home page only. The shop can give you more permissions at any time.',
    ja: 'ホームの閲覧のみ。権限はショップがいつでも追加できます。',
  },
  name: { en: 'Your name', ja: 'お名前' },
  nameHint: {
    en: 'Other members of the shop see this name.',
    ja: 'ショップのほかのメンバーに表示されます。',
  },
  accept: { en: 'Accept invitation', ja: '招待を承諾する' },
  notAccepted: { en: 'The invitation was not accepted', ja: '招待を承諾できませんでした' },
  known: {
    en: 'This email address already has an account. Sign in, and you will return to this page.',
    ja: 'このメールアドレスのアカウントはすでにあります。ログインすると、この画面に戻ります。',
  },
  signIn: { en: 'Sign in', ja: 'ログイン' },
  invited: { en: 'You are signed in with this address.', ja: 'このアドレスでログインしています。' },
  unproved: {
    en: 'It has not been confirmed that this account belongs to the owner of the address, so other shops cannot add it yet. Set a new password with a link that we email to the address, then open the invitation again. If you get no email, ask the operator of this service.',
    ja: 'このアカウントがアドレスの持ち主のものであることを確認できていないため、ほかのショップにはまだ追加できません。メールで届くリンクから新しいパスワードを設定し、もう一度招待を開いてください。メールが届かない場合は、このサービスの運営者にお問い合わせください。',
  },
  reset: { en: 'Email a reset link', ja: '再設定リンクをメールで送信' },
  other: {
    en: (email: string) =>
      `You are signed in as ${email}, but this invitation is for another address. Sign out first.`,
    ja: (email: string) =>
      `${email} でログインしていますが、この招待は別のアドレス宛てです。先にログアウトしてください。`,
  },
  gone: { en: 'This invitation is not valid', ja: 'この招待は無効です' },
  goneText: {
    en: 'The invitation has been accepted, withdrawn or replaced by a newer one, or it has expired. Open the link in your latest email, or ask the shop for a new invitation.',
    ja: 'すでに承諾されたか、取り消されたか、新しい招待に置き換わったか、有効期限が切れています。最新のメールのリンクを開くか、ショップに新しい招待を依頼してください。',
  },
  goneMember: {
    en: 'If you have already accepted the invitation, sign in:',
    ja: 'すでに承諾した場合は、ログインしてください。',
  },
});
