import { html } from 'hono/html';
import { defineMessages } from '../pages/messages.ts';
import type { Markup } from '../pages/page.ts';

export const signInMessages = defineMessages({
  title: { en: 'Sign in', ja: 'ログイン' },
  intro: {
    en: (app: string): Markup => html`<p>Sign in to decide about <strong>${app}</strong>.</p>`,
    ja: (app: string): Markup =>
      html`<p><strong>${app}</strong> からの申請を確認するには、ログインしてください。</p>`,
  },
  email: { en: 'E-mail', ja: 'メールアドレス' },
  password: { en: 'Password', ja: 'パスワード' },
  signIn: { en: 'Sign in', ja: 'ログイン' },
  refused: {
    en: 'This e-mail and password do not match an account.',
    ja: 'メールアドレスまたはパスワードが正しくありません。',
  },
  passkey: { en: 'Sign in with a passkey', ja: 'パスキーでログイン' },
  passkeyRefused: {
    en: 'This passkey was not accepted. Try again, or sign in with your e-mail and password.',
    ja: 'このパスキーではログインできませんでした。もう一度お試しになるか、メールアドレスとパスワードでログインしてください。',
  },
  passkeyFailed: {
    en: 'Your browser gave no passkey. Try again, or sign in with your e-mail and password.',
    ja: 'パスキーを読み取れませんでした。もう一度お試しになるか、メールアドレスとパスワードでログインしてください。',
  },
  throttled: {
    en: (seconds: number): string => `Too many attempts. Try again in ${seconds} seconds.`,
    ja: (seconds: number): string =>
      `試行回数が多すぎます。${seconds} 秒後にもう一度お試しください。`,
  },
  busy: {
    en: 'Too many people are signing in. Try again in a moment.',
    ja: 'ただいま混み合っています。しばらくしてからもう一度お試しください。',
  },
  stale: {
    en: 'This form was out of date. Please try again.',
    ja: 'フォームの有効期限が切れました。もう一度お試しください。',
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
      `Within an hour, a sign-in to your Cardport account has failed ${failures} times.`,
    ja: (failures: number) =>
      `Cardport のアカウントへのログインが、1 時間以内に ${failures} 回失敗しました。`,
  },
  notYou: {
    en: 'If that was you, you need do nothing. If not, somebody may be guessing your password.',
    ja: 'ご本人の操作であれば、何もなさる必要はありません。お心当たりがない場合は、第三者がパスワードを推測している可能性があります。',
  },
  look: {
    en: 'See when and from which networks it was tried:',
    ja: '試行の日時とネットワークは、次のページで確認できます。',
  },
  change: {
    en: 'If you use your password elsewhere, or it is easy to guess, change it:',
    ja: 'ほかのサービスと同じパスワードや推測されやすいパスワードをお使いの場合は、変更してください。',
  },
  known: {
    en: 'While it goes on, sign in from a browser in which you signed in before, or with a passkey: others may be refused. You get at most one such mail a day.',
    ja: '失敗が続いている間は、以前ログインしたことのあるブラウザか、パスキーでログインしてください。それ以外のブラウザではログインできないことがあります。このメールは 1 日に 1 通までお送りします。',
  },
});
