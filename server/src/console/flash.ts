import type { Language } from '../pages/language.ts';

/** Shows on the next page what was done; expires after it was shown, or after a minute. */
export const FLASH_COOKIE = 'cardport_flash';

/** What a page says about the action just done, by the code in a short-lived cookie. */
const FLASHES = {
  boost_created: { en: 'The buy boost was created.', ja: '買取強化を登録しました。' },
  boost_paused: {
    en: 'Paused. Apps no longer see this buy boost.',
    ja: '一時停止しました。アプリには表示されません。',
  },
  boost_resumed: { en: 'Resumed.', ja: '再開しました。' },
  boost_ended: { en: 'The buy boost was ended.', ja: '買取強化を終了しました。' },
  boost_raised: { en: 'You buy more of it now.', ja: '残りの買取数を増やしました。' },
  saved: { en: 'Saved.', ja: '保存しました。' },
  unchanged: { en: 'Nothing was changed.', ja: '変更はありませんでした。' },
  invited: { en: 'The invitation was sent.', ja: '招待を送信しました。' },
  invited_unsent: {
    en: 'The invitation was made, but its mail could not be sent. Send it again below; if that fails too, tell the operator.',
    ja: '招待は作成しましたが、メールを送信できませんでした。下の「再送信」をお試しください。それでも届かない場合は、運営者にお知らせください。',
  },
  invitation_withdrawn: {
    en: 'The invitation was withdrawn: its link works no more.',
    ja: '招待を取り消しました。リンクは使えなくなりました。',
  },
  member_deactivated: { en: 'The member was deactivated.', ja: 'メンバーの利用を停止しました。' },
  member_activated: { en: 'The member was activated.', ja: 'メンバーの利用を再開しました。' },
  joined: {
    en: 'Welcome! You are a member of this shop now.',
    ja: 'ようこそ。このショップのメンバーになりました。',
  },
  password_changed: {
    en: 'Your password was changed. All your other browsers were signed out.',
    ja: 'パスワードを変更しました。ほかのブラウザはすべてログアウトしました。',
  },
  password_changed_not_passkeys: {
    en: 'Your password was changed. All your other browsers were signed out. Look at your passkeys too: they still sign in.',
    ja: 'パスワードを変更しました。ほかのブラウザはすべてログアウトしました。パスキーは引き続き使えるため、あわせて確認してください。',
  },
  session_ended: { en: 'That browser was signed out.', ja: 'そのブラウザをログアウトしました。' },
  sessions_ended: {
    en: 'All your other browsers were signed out.',
    ja: 'ほかのブラウザをすべてログアウトしました。',
  },
  passkey_added: { en: 'The passkey was added.', ja: 'パスキーを追加しました。' },
  passkeys_removed: { en: 'All passkeys were removed.', ja: 'すべてのパスキーを削除しました。' },
  passkey_removed: { en: 'The passkey was removed.', ja: 'パスキーを削除しました。' },
  webhook_lost: {
    en: 'Saved. The app’s webhook was removed with the address of its host.',
    ja: '保存しました。ホストのアドレスがなくなったため、アプリの Webhook を削除しました。',
  },
  app_enabled: { en: 'The app is enabled.', ja: 'アプリを有効にしました。' },
  app_disabled: {
    en: 'The app is disabled: it can do nothing from now on.',
    ja: 'アプリを無効にしました。アプリは何もできません。',
  },
  app_deleted: { en: 'The app was deleted.', ja: 'アプリを削除しました。' },
  secret_removed: {
    en: 'The secret was removed: it opens nothing any more.',
    ja: 'シークレットを削除しました。今後は使えません。',
  },
  key_removed: {
    en: 'The key was removed: it opens nothing any more.',
    ja: 'キーを削除しました。今後は使えません。',
  },
  connection_ended: { en: 'The connection was ended.', ja: '接続を終了しました。' },
  unit_in_stock: { en: 'The unit is in stock again.', ja: '「在庫あり」に戻しました。' },
  unit_reserved: { en: 'The unit is now reserved.', ja: '「取り置き中」にしました。' },
  unit_in_transit: { en: 'The unit is now in transit.', ja: '「移送中」にしました。' },
  unit_grading: { en: 'The unit is now at grading.', ja: '「鑑定中」にしました。' },
  unit_sold: { en: 'The unit is now sold.', ja: '「販売済み」にしました。' },
  unit_returned: { en: 'The unit is now returned.', ja: '「返却済み」にしました。' },
  unit_written_off: { en: 'The unit is now written off.', ja: '「廃棄済み」にしました。' },
  unit_voided: { en: 'The unit is now voided.', ja: '「無効」にしました。' },
  unit_moved: { en: 'The unit was moved.', ja: '在庫品を移動しました。' },
  photo_saved: { en: 'The photo was saved.', ja: '写真を保存しました。' },
  photo_removed: { en: 'The photo was removed.', ja: '写真を削除しました。' },
  site_added: { en: 'The site was added.', ja: '拠点を追加しました。' },
  location_added: { en: 'The location was added.', ja: '保管場所を追加しました。' },
} as const satisfies Readonly<Record<string, Readonly<Record<Language, string>>>>;

/** The verb for several units, in a sentence with their number. */
const SEVERAL = {
  units_in_stock: { en: 'in stock', ja: '「在庫あり」に戻しました' },
  units_reserved: { en: 'reserved', ja: '「取り置き中」にしました' },
  units_in_transit: { en: 'in transit', ja: '「移送中」にしました' },
  units_grading: { en: 'at grading', ja: '「鑑定中」にしました' },
  units_sold: { en: 'sold', ja: '「販売済み」にしました' },
  units_returned: { en: 'returned', ja: '「返却済み」にしました' },
  units_written_off: { en: 'written off', ja: '「廃棄済み」にしました' },
  units_voided: { en: 'voided', ja: '「無効」にしました' },
  units_moved: { en: 'moved', ja: '移動しました' },
} as const satisfies Readonly<Record<string, Readonly<Record<Language, string>>>>;

/**
 * The code of a message; for several units with the number changed and the number that already were
 * so.
 */
export type FlashCode = keyof typeof FLASHES | `${keyof typeof SEVERAL}.${number}.${number}`;

/** Four digits are more than the units of a page need. */
const SEVERAL_PATTERN = /^(units_[a-z_]+)\.(\d{1,4})\.(\d{1,4})$/;

/** The code in a cookie, or null when it is not a known one. */
export function readFlash(text: string | undefined): FlashCode | null {
  return text !== undefined && isFlash(text) ? text : null;
}

function isFlash(text: string): text is FlashCode {
  return Object.hasOwn(FLASHES, text) || severalOf(text) !== null;
}

export function wordsOfFlash(code: FlashCode, language: Language): string {
  return isSingle(code) ? FLASHES[code][language] : sayOfSeveral(code, language);
}

function isSingle(code: FlashCode): code is keyof typeof FLASHES {
  return Object.hasOwn(FLASHES, code);
}

function severalOf(
  text: string,
): { readonly what: keyof typeof SEVERAL; readonly changed: number; readonly same: number } | null {
  const [, what = '', changed, same] = SEVERAL_PATTERN.exec(text) ?? [];
  return isSeveral(what) ? { what, changed: Number(changed), same: Number(same) } : null;
}

function isSeveral(what: string): what is keyof typeof SEVERAL {
  return Object.hasOwn(SEVERAL, what);
}

function sayOfSeveral(code: string, language: Language): string {
  const told = severalOf(code);
  if (told === null) return '';
  const { changed, same } = told;
  const what = SEVERAL[told.what][language];
  if (language === 'ja') {
    const already = same === 0 ? '' : `${same} 点に変更はありません。`;
    return changed === 0 ? already : `${changed} 点を${what}。${already}`;
  }
  const units = changed === 1 ? '1 unit is' : `${changed} units are`;
  const moved = changed === 1 ? '1 unit was' : `${changed} units were`;
  const already = same === 0 ? '' : `${same} needed no change.`;
  if (changed === 0) return already;
  const done = told.what === 'units_moved' ? `${moved} ${what}.` : `${units} now ${what}.`;
  return already === '' ? done : `${done} ${already}`;
}

/** The `Set-Cookie` that carries a code to the next page, or (null) removes it. */
export function flashCookie(code: FlashCode | null, isSecure: boolean): string {
  const secure = isSecure ? '; Secure' : '';
  const value = code === null ? '; Max-Age=0' : `${code}; Max-Age=60`;
  return `${FLASH_COOKIE}=${value}; Path=/console; HttpOnly; SameSite=Lax${secure}`;
}
