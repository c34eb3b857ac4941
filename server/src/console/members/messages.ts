import { defineMessages } from '../../pages/messages.ts';
import { consoleMessages, shared } from '../shared-messages.ts';

export const memberListMessages = consoleMessages({
  title: shared.members,
  invite: { en: 'Invite somebody', ja: 'メンバーを招待' },
  members: { en: 'Members of this shop', ja: 'このショップのメンバー' },
  inactive: { en: 'Deactivated', ja: '停止中' },
  you: { en: 'You', ja: 'あなた' },
  passkey: shared.passkeys,
  passkeys: { en: (count: string) => count, ja: (count: string) => `${count} 件` },
  waiting: { en: 'Pending invitations', ja: '承諾待ちの招待' },
  invitedBy: { en: 'Invited by', ja: '招待した人' },
  operator: { en: 'The operator', ja: '運営者' },
  until: { en: 'Expires', ja: '有効期限' },
  again: { en: 'Send again', ja: '再送信' },
  withdraw: { en: 'Withdraw', ja: '取り消す' },
  noneWaiting: { en: 'No pending invitations', ja: '承諾待ちの招待はありません' },
  noneWaitingText: {
    en: 'People you invite get a mail and are listed here until they accept.',
    ja: '招待した方にはメールが届き、承諾されるまでここに表示されます。',
  },
});

export const memberMessages = consoleMessages({
  inactive: { en: 'Deactivated', ja: '停止中' },
  audit: { en: 'What this member did', ja: 'このメンバーが行った操作' },
  about: { en: 'What was done to this member', ja: 'このメンバーに対する操作' },
  you: {
    en: 'This is you. Only another member who manages members can change what you may do.',
    ja: 'ご自身のページです。ご自身の権限は、メンバーを管理できるほかの方だけが変更できます。',
  },
  permissions: { en: 'What this member may do', ja: 'このメンバーの権限' },
  save: { en: 'Save the permissions', ja: '権限を保存' },
  notSaved: { en: 'The permissions were not changed', ja: '権限は変更されませんでした' },
  meanwhile: {
    en: (now: string) =>
      `Somebody changed these permissions while this page was open. They are now: ${now}. Below is what you have chosen; saving again replaces them by that.`,
    ja: (now: string) =>
      `この画面を開いている間に、ほかの人が権限を変更しました。現在の権限：${now}。下は選択した内容です。もう一度保存すると、この内容に置き換わります。`,
  },
  access: { en: 'Access', ja: '利用' },
  deactivateText: {
    en: 'Deactivate whoever leaves the shop: that person sees nothing of it any more. You are told first what ends with it.',
    ja: '退職などで利用を終える方は停止してください。このショップの情報は一切表示できなくなります。影響する内容は次の画面で確認できます。',
  },
  deactivate: { en: 'Deactivate…', ja: '利用を停止する…' },
  activateText: {
    en: 'This member sees nothing of the shop. Activated again, the permissions above apply.',
    ja: 'このメンバーは停止中です。再開すると、上の権限で利用できるようになります。',
  },
  activate: { en: 'Activate', ja: '利用を再開する' },
});

export const memberActivityMessages = consoleMessages({
  title: {
    en: (name: string) => `Deactivate ${name}?`,
    ja: (name: string) => `${name} さんの利用を停止しますか？`,
  },
  ends: { en: 'What ends at once', ja: 'すぐに終了するもの' },
  pages: {
    en: 'Every page of this shop, for this member.',
    ja: 'このメンバーによる、このショップのすべてのページの利用',
  },
  sessions: {
    en: (count: string) => `Being signed in, in every browser (${count} now).`,
    ja: (count: string) => `すべてのブラウザでのログイン（現在 ${count} 件）`,
  },
  elsewhere: {
    en: 'The member stays signed in, for another shop, and sees nothing of this one.',
    ja: 'ほかのショップのメンバーでもあるため、ログインは続きます。このショップの情報は表示できなくなります。',
  },
  invitations: {
    en: 'Invitations that this member sent and nobody has accepted yet.',
    ja: 'このメンバーが送信し、まだ承諾されていない招待',
  },
  noApps: {
    en: 'No connected app depends on this member.',
    ja: 'このメンバーの承認で動いているアプリはありません。',
  },
  apps: { en: 'Apps that stop', ja: '停止するアプリ' },
  appsText: {
    en: 'This member approved the apps below. Their calls are refused until another member approves them again; after that they go on where they were.',
    ja: '次のアプリはこのメンバーが承認しました。ほかのメンバーがあらためて承認するまで、アプリからの呼び出しは拒否されます。承認後は、続きから再開します。',
  },
  goesOn: {
    en: (approver: string) =>
      `${approver} has approved it too: what it does by that approval goes on.`,
    ja: (approver: string) => `${approver} さんも承認しています。その承認による利用は続きます。`,
  },
  keys: { en: 'API keys that go on', ja: '引き続き使える API キー' },
  keysText: {
    en: 'This member made the keys below, saw them then, and may have kept them. A key opens the shop to whoever has it: make new ones where they are used, and remove these.',
    ja: '次のキーはこのメンバーが発行し、控えている可能性があります。キーを持つ人は誰でもこのショップを操作できます。利用中のシステムには新しいキーを設定し、これらは削除してください。',
  },
  keysLink: { en: 'Show the keys', ja: 'キーの一覧を見る' },
  unnamed: { en: 'Without a name', ja: '名前なし' },
  stays: {
    en: 'Nothing is deleted, and you can activate the member again at any time.',
    ja: 'データは削除されません。いつでも再開できます。',
  },
  self: {
    en: 'This is you: you will be signed out.',
    ja: 'ご自身を停止しようとしています。停止するとログアウトします。',
  },
  confirm: { en: 'Deactivate', ja: '利用を停止する' },
  notDone: { en: 'The member was not deactivated', ja: 'メンバーの利用は停止されませんでした' },
});

export const permissionBoxMessages = consoleMessages({
  hint: {
    en: 'What this person may do in this shop. You can change it at any time.',
    ja: 'このショップでできることです。いつでも変更できます。',
  },
  fixed: {
    en: 'What this person may do in this shop. You can give and take only the permissions that you have yourself; the other boxes stay as they are.',
    ja: 'このショップでできることです。変更できるのは、ご自身がお持ちの権限だけです。ほかの項目は変更できません。',
  },
  notHeld: {
    en: (names: string) =>
      `You can give and take only permissions that you have yourself. You do not have: ${names}.`,
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
  title: { en: 'Invite somebody', ja: 'メンバーを招待' },
  intro: {
    en: 'The person gets a mail with a link that works once, for 7 days. Whoever has no account yet chooses a name and a password there.',
    ja: '招待した方に、7 日間有効で 1 回だけ使えるリンクがメールで届きます。アカウントをお持ちでない方は、そこで名前とパスワードを設定します。',
  },
  presets: { en: 'Begin with the permissions of', ja: '役割から選ぶ' },
  email: { en: 'E-mail address', ja: 'メールアドレス' },
  language: { en: 'Language of the mail', ja: 'メールの言語' },
  languageHint: {
    en: 'The pages follow the language of each person’s browser.',
    ja: '画面の言語は、各自のブラウザの設定に合わせて表示されます。',
  },
  send: { en: 'Send the invitation', ja: '招待を送信' },
  notSent: { en: 'The invitation was not sent', ja: '招待は送信されませんでした' },
  invalid_email: {
    en: 'This is not an e-mail address.',
    ja: 'メールアドレスの形式が正しくありません。',
  },
  member: {
    en: 'This person is a member of the shop already.',
    ja: 'この方はすでにこのショップのメンバーです。',
  },
  inactive: {
    en: 'This person is a member who was deactivated: activate the member in the list of members.',
    ja: 'この方は停止中のメンバーです。メンバー一覧から再開してください。',
  },
  too_many: {
    en: 'Too many invitations are pending. Withdraw some that nobody will accept.',
    ja: '承諾待ちの招待が多すぎます。不要な招待を取り消してください。',
  },
  tooManyMails: {
    en: (minutes: number) =>
      `The shop has sent too many invitations within an hour. Try again in ${minutes} minutes.`,
    ja: (minutes: number) =>
      `1 時間に送信できる招待の数を超えました。${minutes} 分後にもう一度お試しください。`,
  },
});

export const invitationMailMessages = consoleMessages({
  intro: {
    en: (inviter: string, shop: string) =>
      `${inviter} invites you to become a member of the shop “${shop}” in Cardport.`,
    ja: (inviter: string, shop: string) =>
      `${inviter} さんから、Cardport のショップ「${shop}」のメンバーに招待されました。`,
  },
  may: { en: 'In this shop you can:', ja: 'このショップでできること:' },
  open: { en: 'Open this address to accept:', ja: '承諾するには、次のアドレスを開いてください。' },
  until: {
    en: (end: string) =>
      `It works once, until ${end}. Do not forward it: whoever opens it joins in your name.`,
    ja: (end: string) =>
      `このアドレスは ${end} まで、1 回だけ使えます。ほかの方には転送しないでください。`,
  },
  unknown: {
    en: 'If you did not expect this mail, do nothing; the invitation ends by itself.',
    ja: 'お心当たりのない場合は、何もなさらずこのメールを破棄してください。招待は自動的に無効になります。',
  },
});
