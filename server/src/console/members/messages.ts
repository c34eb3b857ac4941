import { defineMessages } from '../../html/messages.ts';
import { consoleMessages, sharedMessages } from '../shared-messages.ts';

export const memberListMessages = consoleMessages({
  title: sharedMessages.members,
  invite: { en: 'Invite member', ja: 'メンバーを招待' },
  members: { en: 'Members of this shop', ja: 'このショップのメンバー' },
  inactive: { en: 'Deactivated', ja: '停止中' },
  you: { en: 'You', ja: 'あなた' },
  passkey: sharedMessages.passkeys,
  passkeys: { en: (count: string) => count, ja: (count: string) => `${count} 件` },
  waiting: { en: 'Pending invitations', ja: '承諾待ちの招待' },
  invitedBy: { en: 'Invited by', ja: '招待した人' },
  operator: { en: 'The operator', ja: '運営者' },
  until: { en: 'Expires', ja: '有効期限' },
  again: { en: 'Send again', ja: '再送信' },
  withdraw: { en: 'Withdraw', ja: '取り消す' },
  link: { en: 'Invitation link', ja: '招待のリンク' },
  linkText: {
    en: 'This link is shown only once. Give it only to the invited person, because anyone who opens it can join in their name.',
    ja: 'このリンクが表示されるのは今回だけです。リンクを開いた人は誰でも参加できるため、招待した方だけにお渡しください。',
  },
  noneWaiting: { en: 'No pending invitations', ja: '承諾待ちの招待はありません' },
  noneWaitingText: {
    en: 'People you invite get an email and appear here until they accept.',
    ja: '招待するとメールが送信され、承諾されるまでここに表示されます。',
  },
});

export const memberMessages = consoleMessages({
  inactive: { en: 'Deactivated', ja: '停止中' },
  audit: { en: 'Actions by this member', ja: 'このメンバーが行った操作' },
  about: { en: 'Changes to this member', ja: 'このメンバーに対する操作' },
  you: {
    en: 'This is you. Only another member who manages members can change your permissions.',
    ja: 'ご自身のページです。ご自身の権限を変更できるのは、メンバーを管理できるほかの方だけです。',
  },
  permissions: { en: 'Permissions', ja: 'このメンバーの権限' },
  save: { en: 'Save permissions', ja: '権限を保存' },
  notSaved: { en: 'The permissions were not changed', ja: '権限は変更されませんでした' },
  meanwhile: {
    en: (now: string) =>
      `Someone else changed these permissions while this page was open. They are now: ${now}. Your selection is below. Saving again replaces them with your selection.`,
    ja: (now: string) =>
      `この画面を開いている間に、ほかのメンバーが権限を変更しました。現在の権限：${now}。下には選択した内容が表示されています。もう一度保存すると、この内容で上書きします。`,
  },
  password: { en: 'Password', ja: 'パスワード' },
  resetText: {
    en: 'For a member who cannot sign in: a link to set a new password. It works once, for an hour. Using it signs the member out everywhere and removes all passkeys.',
    ja: 'ログインできなくなったメンバーのために、新しいパスワードを設定するリンクを発行できます。リンクは 1 時間有効で、1 回だけ使えます。使用すると、すべてのブラウザがログアウトされ、パスキーは削除されます。',
  },
  resetByMail: { en: 'Email a reset link', ja: '再設定リンクをメールで送信' },
  resetByLink: { en: 'Show a reset link', ja: '再設定リンクを表示' },
  resetElsewhere: {
    en: 'This account is also registered with another shop, so the link goes only to its own email address.',
    ja: 'このアカウントはほかのショップにも登録されているため、リンクは本人のメールアドレスにのみ送信できます。',
  },
  memberNotHeld: {
    en: (names: string) =>
      `You can do this only for members whose permissions you have yourself. You do not have: ${names}.`,
    ja: (names: string) =>
      `この操作ができるのは、ご自身がお持ちの権限の範囲内のメンバーに対してだけです。お持ちでない権限：${names}。`,
  },
  resetLink: { en: 'Reset link', ja: '再設定リンク' },
  resetLinkText: {
    en: 'This link is shown only once. Give it only to this member, because anyone who opens it can set their password.',
    ja: 'このリンクが表示されるのは今回だけです。リンクを開いた人は誰でもパスワードを設定できるため、本人だけにお渡しください。',
  },
  notReset: { en: 'No reset link was created', ja: '再設定リンクは発行されませんでした' },
  access: { en: 'Access', ja: '利用状況' },
  deactivateText: {
    en: 'Deactivate members who leave. They lose access to this shop. The next page shows what else stops.',
    ja: '退職したメンバーの利用を停止してください。このショップにアクセスできなくなります。影響の内容は次の画面で確認できます。',
  },
  deactivate: { en: 'Deactivate…', ja: '利用を停止する…' },
  activateText: {
    en: 'This member has no access to the shop. When you reactivate the member, the permissions above apply.',
    ja: 'このメンバーは利用を停止されています。再開すると、上の権限で利用できるようになります。',
  },
  activate: { en: 'Reactivate', ja: '利用を再開する' },
});

export const memberActivityMessages = consoleMessages({
  title: {
    en: (name: string) => `Deactivate ${name}?`,
    ja: (name: string) => `${name} さんの利用を停止しますか？`,
  },
  ends: { en: 'What stops immediately', ja: 'すぐに停止するもの' },
  pages: {
    en: 'This member’s access to all pages of this shop.',
    ja: 'このショップのすべてのページの利用',
  },
  sessions: {
    en: (count: string) => `All sessions of this member (currently ${count}).`,
    ja: (count: string) => `すべてのブラウザでのログイン（現在 ${count} 件）`,
  },
  elsewhere: {
    en: 'The member also belongs to another shop and stays signed in, without access to this one.',
    ja: 'ほかのショップのメンバーでもあるため、ログインは維持されますが、このショップにはアクセスできなくなります。',
  },
  invitations: {
    en: 'Pending invitations that this member sent.',
    ja: 'このメンバーが送信した、承諾待ちの招待',
  },
  noApps: {
    en: 'No connected apps depend on this member.',
    ja: 'このメンバーの承認で接続中のアプリはありません。',
  },
  apps: { en: 'Apps that stop', ja: '停止するアプリ' },
  appsText: {
    en: 'This member approved the apps below. Their requests are refused until another member approves them. Then they continue where they left off.',
    ja: '次のアプリはこのメンバーが承認しました。ほかのメンバーが承認するまで、アプリからのリクエストは拒否されます。承認後は、続きから再開します。',
  },
  goesOn: {
    en: (approver: string) =>
      `${approver} has also approved this app. Access under that approval continues.`,
    ja: (approver: string) =>
      `${approver} さんも承認しています。その承認によるアクセスは継続します。`,
  },
  keys: { en: 'API keys that keep working', ja: '引き続き使える API キー' },
  keysText: {
    en: 'This member created the keys below and may have kept a copy. Anyone with a key has access to the shop’s data. Replace these keys in your systems, then remove them.',
    ja: '次のキーはこのメンバーが作成し、控えを持っている可能性があります。キーがあれば誰でもショップのデータを操作できます。使用中のシステムに新しいキーを設定し、これらのキーを削除してください。',
  },
  keysLink: { en: 'View keys', ja: 'キーの一覧を見る' },
  unnamed: { en: 'Unnamed', ja: '名前なし' },
  stays: {
    en: 'No data is deleted. You can reactivate the member at any time.',
    ja: 'データは削除されません。いつでも再開できます。',
  },
  self: {
    en: 'This is you. You will be signed out.',
    ja: 'ご自身のアカウントです。停止するとログアウトします。',
  },
  confirm: { en: 'Deactivate', ja: '利用を停止する' },
  notDone: { en: 'The member was not deactivated', ja: 'メンバーの利用は停止されませんでした' },
});

export const permissionBoxMessages = consoleMessages({
  hint: {
    en: 'What this person can do in this shop. You can change this at any time.',
    ja: 'このショップでの権限です。いつでも変更できます。',
  },
  fixed: {
    en: 'What this person can do in this shop. You can change only permissions that you have yourself.',
    ja: 'このショップでの権限です。変更できるのは、ご自身がお持ちの権限だけです。',
  },
  notHeld: {
    en: (names: string) =>
      `You can change only permissions that you have yourself. You do not have: ${names}.`,
    ja: (names: string) =>
      `変更できるのは、ご自身がお持ちの権限だけです。お持ちでない権限：${names}。`,
  },
});

export const presetMessages = defineMessages({
  owner: { en: 'Owner', ja: 'オーナー' },
  clerk: { en: 'Clerk', ja: '店舗スタッフ' },
  developer: { en: 'Developer', ja: '開発担当者' },
});

export const inviteMessages = consoleMessages({
  title: { en: 'Invite member', ja: 'メンバーを招待' },
  intro: {
    en: 'We send an email with a link that works once and expires after 7 days. People without an account choose a name and password there.',
    ja: '1 回だけ使える、7 日間有効なリンクをメールで送信します。アカウントをお持ちでない方は、リンク先で名前とパスワードを設定します。',
  },
  presets: { en: 'Start from a role', ja: '役割から選択' },
  email: { en: 'Email address', ja: 'メールアドレス' },
  language: { en: 'Email language', ja: 'メールの言語' },
  languageHint: {
    en: 'Pages use the language of each person’s browser.',
    ja: '画面の言語は、各自のブラウザの設定に合わせて表示されます。',
  },
  send: { en: 'Send invitation', ja: '招待を送信' },
  notSent: { en: 'The invitation was not sent', ja: '招待は送信されませんでした' },
  invalid_email: {
    en: 'Enter a valid email address.',
    ja: '正しいメールアドレスを入力してください。',
  },
  member: {
    en: 'This person is already a member of the shop.',
    ja: 'この方はすでにこのショップのメンバーです。',
  },
  inactive: {
    en: 'This person is a deactivated member. Reactivate the member in the member list.',
    ja: 'この方は利用停止中のメンバーです。メンバー一覧から利用を再開してください。',
  },
  too_many: {
    en: 'There are too many pending invitations. Withdraw some that you do not need.',
    ja: '承諾待ちの招待が多すぎます。不要な招待を取り消してください。',
  },
  tooManyMails: {
    en: (minutes: number) =>
      `The shop has reached its hourly limit of invitations. Try again in ${minutes} minutes.`,
    ja: (minutes: number) =>
      `1 時間に送信できる招待の上限に達しました。${minutes} 分後にもう一度お試しください。`,
  },
});

export const invitationMailMessages = defineMessages({
  subject: {
    en: (shop: string) => `Cardport: invitation to the shop “${shop}”`,
    ja: (shop: string) => `Cardport：ショップ「${shop}」への招待`,
  },
  intro: {
    en: (inviter: string, shop: string) =>
      `${inviter} has invited you to join the shop “${shop}” on Cardport.`,
    ja: (inviter: string, shop: string) =>
      `${inviter} さんから、Cardport のショップ「${shop}」のメンバーに招待されました。`,
  },
  may: { en: 'In this shop, you will be able to:', ja: 'このショップでの権限：' },
  open: { en: 'To accept, open this link:', ja: '承諾するには、次のリンクを開いてください。' },
  until: {
    en: (end: string) =>
      `The link works once and expires on ${end}. Do not forward it: anyone who opens it can join in your name.`,
    ja: (end: string) =>
      `このリンクは ${end} まで有効で、1 回だけ使えます。ほかの方が承諾できてしまうため、転送しないでください。`,
  },
  unknown: {
    en: 'If you did not expect this email, you can ignore it. The invitation will expire.',
    ja: 'お心当たりのない場合は、このメールを破棄してください。招待は期限が過ぎると無効になります。',
  },
});
