import { defineMessages } from '../../pages/messages.ts';
import { consoleMessages } from '../shared-messages.ts';

export const homeMessages = defineMessages({
  title: { en: 'Home', ja: 'ホーム' },
  nothing: {
    en: 'Nothing is open to you in this shop yet',
    ja: 'このショップで利用できる機能がまだありません',
  },
  nothingText: {
    en: 'Ask a member who may manage members to give you a permission.',
    ja: 'メンバーを管理できる方に、権限の付与をご依頼ください。',
  },
  invitations: {
    en: (count: string, plural: boolean) =>
      plural ? `${count} invitations wait to be accepted` : 'An invitation waits to be accepted',
    ja: (count: string) => `未承諾の招待が ${count} 件あります`,
  },
  expires: {
    en: (plural: boolean) => (plural ? 'The first of them expires ' : 'It expires '),
    ja: (plural: boolean) => (plural ? '最初の有効期限：' : '有効期限：'),
  },
  members: { en: 'Members', ja: 'メンバーを見る' },
});

export const attentionMessages = defineMessages({
  heading: { en: 'Needs attention', ja: '確認が必要な項目' },
  calm: { en: 'Nothing needs your attention now.', ja: '現在、確認が必要な項目はありません。' },
  tones: {
    bad: { en: 'Problem:', ja: '問題：' },
    warn: { en: 'Soon:', ja: '要確認：' },
    calm: { en: 'Note:', ja: 'お知らせ：' },
  },
});

export const appAttentionMessages = defineMessages({
  unapproved: {
    en: (app: string) => `${app} needs a new approval`,
    ja: (app: string) => `「${app}」には再承認が必要です`,
  },
  unapprovedDetail: {
    en: 'Its reads are refused until an active member approves it again',
    ja: '有効なメンバーが再承認するまで、読み取りは拒否されます',
  },
  fails: {
    en: (app: string) => `The webhook of ${app} fails`,
    ja: (app: string) => `「${app}」の Webhook が失敗しています`,
  },
  since: { en: 'First failure ', ja: '最初の失敗：' },
  next: { en: 'Next attempt ', ja: '次の送信：' },
  removed: {
    en: (app: string) => `The webhook of ${app} was removed`,
    ja: (app: string) => `「${app}」の Webhook が削除されました`,
  },
  behind: {
    en: (app: string) => `${app} lies behind`,
    ja: (app: string) => `「${app}」の読み取りが遅れています`,
  },
  lastRead: { en: 'Last read ', ja: '最終読み取り：' },
  disabled: {
    en: (app: string) => `${app} is disabled`,
    ja: (app: string) => `「${app}」は無効です`,
  },
  disabledDetail: {
    en: 'It reads nothing and is told nothing until it is enabled',
    ja: '有効にするまで、読み取りも通知も行われません',
  },
  secrets: {
    en: (app: string) => `${app} has two secrets`,
    ja: (app: string) => `「${app}」にシークレットが 2 つあります`,
  },
  secretsDetail: {
    en: 'Remove the old one when the app uses the new one',
    ja: 'アプリが新しい方を使い始めたら、古い方を削除してください',
  },
  newest: { en: 'The new one was made ', ja: '新しい方の作成：' },
  rolled: {
    en: (app: string) => `${app} has a new webhook secret`,
    ja: (app: string) => `「${app}」の Webhook シークレットが更新されました`,
  },
  rolledUntil: {
    en: 'The old one still signs too, and ends ',
    ja: '古いシークレットによる署名の終了：',
  },
  connection: { en: 'Show the connection', ja: '接続を見る' },
  app: { en: 'Show the app', ja: 'アプリを見る' },
  /** For the items of a kind that are not shown. */
  more: {
    en: (count: string) => (count === '1' ? 'Another app' : `${count} more apps`),
    ja: (count: string) => `ほか ${count} 件のアプリ`,
  },
});

export const openBoostMessages = consoleMessages({
  all: { en: 'All buy boosts', ja: '買取強化をすべて見る' },
  none: { en: 'No buy boost is open', ja: '受付中の買取強化はありません' },
  noneText: {
    en: 'A boost says what the shop buys above its usual price just now.',
    ja: '通常より高く買い取るカードや商品を、買取強化として登録できます。',
  },
  create: { en: 'New buy boost', ja: '買取強化を登録' },
  caption: {
    en: 'Open buy boosts with the highest prices',
    ja: '受付中の買取強化（価格の高い順）',
  },
  item: { en: 'Item', ja: '対象' },
  left: { en: 'Left', ja: '残り' },
  ends: {
    en: (name: string) => `The boost for ${name} ends soon`,
    ja: (name: string) => `「${name}」の買取強化がまもなく終了します`,
  },
  endsAt: { en: 'It ends ', ja: '終了：' },
  nearly: {
    en: (name: string) => `The boost for ${name} is nearly bought up`,
    ja: (name: string) => `「${name}」の買取強化は残りわずかです`,
  },
  pieces: { en: (count: string) => `Left: ${count}`, ja: (count: string) => `残り ${count} 点` },
  link: { en: 'Show the buy boost', ja: '買取強化を見る' },
  moreEnding: {
    en: (count: string) =>
      count === '1'
        ? 'Another that ends within 24 hours'
        : `${count} more that end within 24 hours`,
    ja: (count: string) => `24 時間以内に終了するものがほか ${count} 件`,
  },
  moreNearly: {
    en: (count: string) =>
      count === '1'
        ? 'Another that is nearly bought up'
        : `${count} more that are nearly bought up`,
    ja: (count: string) => `残りわずかのものがほか ${count} 件`,
  },
});

export const homeStockMessages = consoleMessages({
  caption: { en: 'Units in stock by site and status', ja: '拠点と状態ごとの在庫数' },
  total: { en: 'Total', ja: '合計' },
  allSites: { en: 'All sites', ja: 'すべての拠点' },
  moreSites: {
    en: (count: string) => (count === '1' ? 'Another site' : `${count} more sites`),
    ja: (count: string) => `ほか ${count} 拠点`,
  },
  gone: { en: 'No longer in stock', ja: '在庫でなくなったもの' },
  all: { en: 'All stock', ja: '在庫をすべて見る' },
  none: { en: 'Nothing is in stock', ja: '在庫はまだありません' },
  noneText: {
    en: 'Units come in here, through the Shop API or by the import of a file.',
    ja: 'この画面、Shop API、またはファイルの取り込みで入庫できます。',
  },
  receive: { en: 'Receive units', ja: '入庫する' },
  plot: { en: 'Units in stock, the last 30 days', ja: '在庫数の推移（30 日間）' },
  units: { en: 'Units', ja: '在庫数' },
  today: {
    en: 'At the end of each day in the shop’s time zone; today as it is now.',
    ja: '各日の終わり（ショップのタイムゾーン）の在庫数です。本日分は現在の値です。',
  },
  within: { en: (site: string) => ` at ${site}`, ja: (site: string) => `（${site}）` },
});

export const homeAppMessages = consoleMessages({
  heading: { en: 'Connected apps', ja: '接続中のアプリ' },
  caption: {
    en: 'Connected apps, those that need care first',
    ja: '接続中のアプリ（確認が必要なものから）',
  },
  counts: {
    en: (shown: string, all: string) => `${shown} of ${all} connected apps`,
    ja: (shown: string, all: string) => `接続中のアプリ ${all} 件のうち ${shown} 件`,
  },
  works: { en: 'Working', ja: '正常' },
  fails: { en: 'Failing', ja: '失敗中' },
  removed: { en: 'Removed', ja: '削除済み' },
  all: { en: 'All apps', ja: 'アプリをすべて見る' },
  noApps: { en: 'No app is connected', ja: '接続中のアプリはありません' },
  noAppsText: {
    en: 'Register an app, and let it ask a member for its approval.',
    ja: 'アプリを登録すると、アプリからメンバーに承認を求められるようになります。',
  },
});
