import { defineMessages } from '../../html/messages.ts';
import { consoleMessages } from '../shared-messages.ts';

export const homeMessages = defineMessages({
  title: { en: 'Home', ja: 'ホーム' },
  nothing: {
    en: 'You do not have any permissions in this shop yet',
    ja: 'このショップで利用できる機能がまだありません',
  },
  nothingText: {
    en: 'Ask a member who manages members to give you a permission.',
    ja: '「メンバーの管理」の権限を持つ方に、権限の付与を依頼してください。',
  },
  invitations: {
    en: (count: string, plural: boolean) =>
      plural ? `${count} pending invitations` : '1 pending invitation',
    ja: (count: string) => `承諾待ちの招待が ${count} 件あります`,
  },
  expires: {
    en: (plural: boolean) => (plural ? 'First one expires ' : 'Expires '),
    ja: (plural: boolean) => (plural ? '最も早い有効期限：' : '有効期限：'),
  },
  receive: { en: 'Receive units', ja: '入庫' },
  find: { en: 'Find units', ja: '在庫を探す' },
  search: { en: 'Search', ja: '検索' },
  newBoost: { en: 'New boost', ja: '買取強化を登録' },
});

export const attentionMessages = defineMessages({
  heading: { en: 'Needs attention', ja: '確認が必要な項目' },
  calm: {
    en: 'Nothing needs your attention right now.',
    ja: '現在、確認が必要な項目はありません。',
  },
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
    en: 'The app cannot read anything until an active member approves it again',
    ja: '有効なメンバーが再承認するまで、アプリはデータを取得できません',
  },
  fails: {
    en: (app: string) => `The webhook of ${app} is failing`,
    ja: (app: string) => `「${app}」の Webhook の配信に失敗しています`,
  },
  since: { en: 'Failing since ', ja: '最初の失敗：' },
  next: { en: 'Next attempt ', ja: '次回の配信：' },
  removed: {
    en: (app: string) => `The webhook of ${app} was removed`,
    ja: (app: string) => `「${app}」の Webhook が削除されました`,
  },
  behind: {
    en: (app: string) => `${app} is behind`,
    ja: (app: string) => `「${app}」のデータ取得が遅れています`,
  },
  lastRead: { en: 'Last read ', ja: '最終取得：' },
  disabled: {
    en: (app: string) => `${app} is disabled`,
    ja: (app: string) => `「${app}」は無効です`,
  },
  disabledDetail: {
    en: 'The app cannot read anything and receives no events until you enable it',
    ja: '有効にするまで、データの取得もイベントの配信も行われません',
  },
  secrets: {
    en: (app: string) => `${app} has two secrets`,
    ja: (app: string) => `「${app}」にシークレットが 2 つあります`,
  },
  secretsDetail: {
    en: 'Remove the old secret once the app uses the new one',
    ja: 'アプリが新しいシークレットに切り替わったら、古い方を削除してください',
  },
  newest: { en: 'New secret created ', ja: '新しいシークレットの作成日時：' },
  rolled: {
    en: (app: string) => `${app} has a new webhook secret`,
    ja: (app: string) => `「${app}」の Webhook シークレットが更新されました`,
  },
  rolledUntil: {
    en: 'The old secret is also used for signing until it expires ',
    ja: '古いシークレットの有効期限：',
  },
  /** Says how many items of a kind are not shown. */
  more: {
    en: (count: string) => (count === '1' ? '1 more app' : `${count} more apps`),
    ja: (count: string) => `ほか ${count} 件のアプリ`,
  },
});

export const openBoostMessages = consoleMessages({
  all: { en: 'View all buy boosts', ja: '買取強化をすべて見る' },
  none: { en: 'No open buy boosts', ja: '受付中の買取強化はありません' },
  noneText: {
    en: 'A buy boost is a card or product that the shop buys above its usual price.',
    ja: '通常より高く買い取るカードや商品を登録できます。',
  },
  create: { en: 'New buy boost', ja: '買取強化を登録' },
  caption: {
    en: 'Open buy boosts, highest price first',
    ja: '受付中の買取強化（価格の高い順）',
  },
  item: { en: 'Item', ja: '対象' },
  left: { en: 'Remaining', ja: '残り' },
  ends: {
    en: (name: string) => `The buy boost for ${name} ends soon`,
    ja: (name: string) => `「${name}」の買取強化がまもなく終了します`,
  },
  endsAt: { en: 'Ends ', ja: '終了日時：' },
  nearly: {
    en: (name: string) => `The buy boost for ${name} is almost filled`,
    ja: (name: string) => `「${name}」の買取強化は残りわずかです`,
  },
  pieces: {
    en: (count: string) => `${count} remaining`,
    ja: (count: string) => `残り ${count} 点`,
  },
  moreEnding: {
    en: (count: string) =>
      count === '1'
        ? '1 more buy boost ends within 24 hours'
        : `${count} more buy boosts end within 24 hours`,
    ja: (count: string) => `ほか ${count} 件が 24 時間以内に終了`,
  },
  moreNearly: {
    en: (count: string) =>
      count === '1'
        ? '1 more buy boost is almost filled'
        : `${count} more buy boosts are almost filled`,
    ja: (count: string) => `ほか ${count} 件が残りわずか`,
  },
});

export const homeStockMessages = consoleMessages({
  caption: { en: 'Units in stock by site and status', ja: '拠点・ステータス別の在庫数' },
  total: { en: 'Total', ja: '合計' },
  allSites: { en: 'All sites', ja: 'すべての拠点' },
  moreSites: {
    en: (count: string) => (count === '1' ? '1 more site' : `${count} more sites`),
    ja: (count: string) => `ほか ${count} 拠点`,
  },
  value: { en: 'Stock value', ja: '在庫の金額' },
  askingPrice: { en: 'Asking price', ja: '販売価格' },
  valueHint: {
    en: 'Units in stock without an amount count as 0.',
    ja: '金額が未登録の在庫品は 0 として集計しています。',
  },
  valueReused: {
    en: 'The sums may be up to a minute old.',
    ja: '集計は最大 1 分前のものです。',
  },
  gone: { en: 'No longer in stock', ja: '在庫から外れたもの' },
  all: { en: 'View all stock', ja: '在庫をすべて見る' },
  none: { en: 'No stock yet', ja: '在庫はまだありません' },
  noneText: {
    en: 'Receive units here, through the Shop API, or by importing a file.',
    ja: 'この画面、Shop API、またはファイルのインポートで入庫できます。',
  },
  receive: { en: 'Receive units', ja: '入庫する' },
  plot: { en: 'Units in stock, last 30 days', ja: '在庫数の推移（過去 30 日間）' },
  units: { en: 'Units', ja: '在庫数' },
  today: {
    en: 'At the end of each day in the shop’s time zone. Today shows the current number.',
    ja: 'ショップのタイムゾーンでの各日の終了時点の在庫数です。本日は現在の値です。',
  },
  within: { en: (site: string) => ` at ${site}`, ja: (site: string) => `（${site}）` },
});

export const homeAppMessages = consoleMessages({
  heading: { en: 'Connected apps', ja: '接続中のアプリ' },
  caption: {
    en: 'Connected apps, those that need attention first',
    ja: '接続中のアプリ（確認が必要なものを先に表示）',
  },
  counts: {
    en: (shown: string, all: string) => `${shown} of ${all} connected apps`,
    ja: (shown: string, all: string) => `接続中のアプリ ${all} 件のうち ${shown} 件`,
  },
  works: { en: 'Working', ja: '正常' },
  fails: { en: 'Failing', ja: '配信エラー' },
  removed: { en: 'Removed', ja: '削除済み' },
  all: { en: 'View all apps', ja: 'アプリをすべて見る' },
  noApps: { en: 'No connected apps', ja: '接続中のアプリはありません' },
  noAppsText: {
    en: 'Register an app. The app then asks a member for approval.',
    ja: 'アプリを登録すると、アプリからメンバーに承認を依頼できるようになります。',
  },
});
