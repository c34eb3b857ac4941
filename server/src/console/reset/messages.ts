import { consoleMessages } from '../shared-messages.ts';

export const resetMessages = consoleMessages({
  title: { en: 'Reset your password', ja: 'パスワードの再設定' },
  intro: {
    en: 'Enter the email address of your account. If the account exists, we will email you a link to set a new password.',
    ja: 'アカウントのメールアドレスを入力してください。アカウントがある場合、新しいパスワードを設定するリンクをメールで送信します。',
  },
  send: { en: 'Email me a link', ja: 'リンクを送信' },
  back: { en: 'Back to sign-in', ja: 'ログインに戻る' },
  sent: { en: 'Check your email', ja: 'メールを確認してください' },
  sentText: {
    en: (minutes: number) =>
      `If this address has an account, an email with a link is on its way. The link works once, within ${minutes} minutes.`,
    ja: (minutes: number) =>
      `このアドレスのアカウントがある場合、リンクを記載したメールをお送りします。リンクは ${minutes} 分間有効で、1 回だけ使えます。`,
  },
  noMail: {
    en: 'No email? Check your spam folder, or ask the owner of your shop for a link.',
    ja: 'メールが届かない場合は、迷惑メールフォルダをご確認いただくか、ショップのオーナーにリンクの発行を依頼してください。',
  },
  notSent: { en: 'The email was not sent', ja: 'メールは送信されませんでした' },
  newTitle: { en: 'Set a new password', ja: '新しいパスワードの設定' },
  newText: {
    en: (email: string) =>
      `For the account ${email}. All its browsers will be signed out, and its passkeys removed.`,
    ja: (email: string) =>
      `アカウント：${email}。すべてのブラウザがログアウトされ、パスキーは削除されます。`,
  },
  save: { en: 'Set password', ja: 'パスワードを設定' },
  notSaved: { en: 'The password was not changed', ja: 'パスワードは変更されませんでした' },
  gone: { en: 'This link is not valid', ja: 'このリンクは無効です' },
  goneText: {
    en: 'The link has been used or has expired, or the password was changed in another way.',
    ja: 'すでに使用されたか、有効期限が切れたか、ほかの方法でパスワードが変更されています。',
  },
  another: { en: 'Get another link', ja: '新しいリンクを申し込む' },
  throttledText: {
    en: (minutes: number) =>
      minutes === 1 ? 'Try again in a minute.' : `Try again in ${minutes} minutes.`,
    ja: (minutes: number) => `${minutes} 分後にもう一度お試しください。`,
  },
});
