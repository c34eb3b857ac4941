import { consoleMessages } from '../shared-messages.ts';

export const setupMessages = consoleMessages({
  title: { en: 'Set up your shop', ja: 'ショップの初期設定' },
  intro: {
    en: 'This installation has no shop yet. Create the first shop and your own account, which will be its owner.',
    ja: 'まだショップがありません。最初のショップと、そのオーナーになるご自身のアカウントを作成します。',
  },
  code: { en: 'Set-up code', ja: '初期設定コード' },
  codeHint: {
    en: 'The service printed this code when it started. It begins with cpo_ and works once, within 24 hours. If it has expired, restart the service to get a new one.',
    ja: 'サービスの起動時に出力された、cpo_ で始まるコードです。24 時間以内に 1 回だけ使えます。期限が切れたら、サービスを再起動すると新しいコードが出力されます。',
  },
  wrongCode: {
    en: 'This code is not valid. Copy the latest code that the service printed.',
    ja: 'このコードは無効です。サービスが最後に出力したコードを入力してください。',
  },
  slug: { en: 'Short name for addresses', ja: 'URL 用の短い名前' },
  slugHint: {
    en: 'Lower-case letters, digits and hyphens, such as kumo-cards. It cannot be changed later. If empty, it is derived from the name of the shop.',
    ja: '半角の英小文字・数字・ハイフン（例: kumo-cards）。後から変更できません。空欄の場合はショップ名から自動で決まります。',
  },
  badSlug: {
    en: 'Use only lower-case letters, digits and single hyphens.',
    ja: '半角の英小文字・数字・ハイフンだけで入力してください。',
  },
  yourName: { en: 'Your name', ja: 'お名前' },
  noEmail: {
    en: 'Enter a valid email address.',
    ja: '正しいメールアドレスを入力してください。',
  },
  yourLanguage: { en: 'Your language', ja: '表示言語' },
  noLanguage: { en: 'Choose a language.', ja: '言語を選択してください。' },
  create: { en: 'Create shop', ja: 'ショップを作成' },
  notCreated: { en: 'The shop was not created', ja: 'ショップを作成できませんでした' },
  throttledText: {
    en: (seconds: number) => `Too many attempts. Try again in ${seconds} seconds.`,
    ja: (seconds: number) => `試行回数が多すぎます。${seconds} 秒後にもう一度お試しください。`,
  },
});
