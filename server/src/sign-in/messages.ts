import { html } from 'hono/html';
import { defineMessages } from '../html/messages.ts';
import type { Markup } from '../html/page.ts';

export const signInMessages = defineMessages({
  title: { en: 'Sign in', ja: 'ログイン' },
  intro: {
    en: (app: string): Markup =>
      html`<p>Sign in to review the request from <strong>${app}</strong>.</p>`,
    ja: (app: string): Markup =>
      html`<p><strong>${app}</strong> からのリクエストを確認するには、ログインしてください。</p>`,
  },
  email: { en: 'Email', ja: 'メールアドレス' },
  password: { en: 'Password', ja: 'パスワード' },
  signIn: { en: 'Sign in', ja: 'ログイン' },
  forgot: { en: 'Forgot your password?', ja: 'パスワードをお忘れの方' },
  refused: {
    en: 'The email address or password is incorrect.',
    ja: 'メールアドレスまたはパスワードが正しくありません。',
  },
  passkey: { en: 'Sign in with a passkey', ja: 'パスキーでログイン' },
  passkeyRefused: {
    en: 'This passkey was not accepted. Try again, or sign in with your email and password.',
    ja: 'このパスキーではログインできませんでした。もう一度お試しになるか、メールアドレスとパスワードでログインしてください。',
  },
  passkeyFailed: {
    en: 'Your browser did not provide a passkey. Try again, or sign in with your email and password.',
    ja: 'パスキーを読み取れませんでした。もう一度お試しになるか、メールアドレスとパスワードでログインしてください。',
  },
  throttled: {
    en: (seconds: number): string => `Too many attempts. Try again in ${seconds} seconds.`,
    ja: (seconds: number): string =>
      `試行回数が多すぎます。${seconds} 秒後にもう一度お試しください。`,
  },
  busy: {
    en: 'Too many people are signing in. Try again in a moment.',
    ja: 'ただいま混み合っています。しばらくしてから、もう一度お試しください。',
  },
  stale: {
    en: 'The form has expired. Try again.',
    ja: 'フォームの有効期限が切れました。もう一度お試しください。',
  },
  sessionEnded: {
    en: 'Your session has ended, so nothing was saved yet. Sign in to continue.',
    ja: 'ログインの有効期限が切れたため、まだ保存されていません。ログインして続けてください。',
  },
});

export const signedInMessages = defineMessages({
  title: { en: 'You are signed in', ja: 'ログイン済みです' },
  as: { en: 'Signed in as', ja: 'ログイン中のアカウント' },
  console: { en: 'Go to your shop', ja: 'ショップの管理画面へ' },
  signOut: { en: 'Sign out', ja: 'ログアウト' },
});

export const failuresMailMessages = defineMessages({
  subject: {
    en: 'Failed sign-ins to your Cardport account',
    ja: 'Cardport アカウントへのログイン失敗のお知らせ',
  },
  what: {
    en: (failures: number) =>
      `There were ${failures} failed attempts to sign in to your Cardport account within an hour.`,
    ja: (failures: number) =>
      `Cardport のアカウントへのログインが、1 時間以内に ${failures} 回失敗しました。`,
  },
  notYou: {
    en: 'If this was you, you do not need to do anything. If not, someone may be guessing your password.',
    ja: 'ご本人による操作の場合、対応は不要です。お心当たりがない場合は、第三者がパスワードを推測している可能性があります。',
  },
  look: {
    en: 'See the times and networks of the attempts:',
    ja: '失敗した日時とネットワークは、次のページで確認できます。',
  },
  change: {
    en: 'If you use this password elsewhere, or it is easy to guess, change it:',
    ja: 'ほかのサービスと同じパスワードや推測されやすいパスワードをお使いの場合は、変更してください。',
  },
  known: {
    en: 'While this continues, sign in with a passkey or in a browser in which you have signed in before. Other browsers may be refused. You get this email at most once a day.',
    ja: '失敗が続いている間は、パスキー、または以前ログインしたことのあるブラウザでログインしてください。それ以外のブラウザではログインできないことがあります。このメールの送信は 1 日 1 通までです。',
  },
});

export const resetMailMessages = defineMessages({
  subject: { en: 'Reset your Cardport password', ja: 'Cardport のパスワードの再設定' },
  asked: {
    en: 'Someone asked to reset the password of your Cardport account. To set a new password, open this link:',
    ja: 'Cardport アカウントのパスワード再設定のリクエストを受け付けました。新しいパスワードを設定するには、次のリンクを開いてください。',
  },
  askedBy: {
    en: (member: string, shop: string) =>
      `${member} of the shop “${shop}” sent you this link to reset the password of your Cardport account. To set a new password, open it:`,
    ja: (member: string, shop: string) =>
      `ショップ「${shop}」の ${member} さんから、Cardport アカウントのパスワードを再設定するリンクが送信されました。新しいパスワードを設定するには、次のリンクを開いてください。`,
  },
  until: {
    en: (minutes: number) =>
      `The link works once, within ${minutes} minutes. Do not forward it: anyone who opens it can set your password.`,
    ja: (minutes: number) =>
      `このリンクは ${minutes} 分間有効で、1 回だけ使えます。ほかの方がパスワードを設定できてしまうため、転送しないでください。`,
  },
  unknown: {
    en: 'If you did not expect this email, you can ignore it. Your password stays as it is.',
    ja: 'お心当たりのない場合は、このメールを破棄してください。パスワードは変更されません。',
  },
  usedSubject: {
    en: 'Your Cardport password was changed',
    ja: 'Cardport のパスワードが変更されました',
  },
  used: {
    en: 'The password of your Cardport account was changed with a reset link. All browsers were signed out, and all passkeys were removed.',
    ja: '再設定用のリンクから、Cardport アカウントのパスワードが変更されました。すべてのブラウザがログアウトされ、パスキーはすべて削除されました。',
  },
  notYou: {
    en: 'If this was not you, set another password here, and tell the owner of your shop:',
    ja: 'お心当たりがない場合は、次のページで別のパスワードを設定し、ショップのオーナーに連絡してください。',
  },
});
