import type { Language } from '../html/language.ts';

/**
 * Carries the message about the last action to the next page. The cookie is removed when the
 * message is shown, and expires after a minute.
 */
export const FLASH_COOKIE = 'cardport_flash';

/** The message about the last action, by the code in the flash cookie. */
const FLASHES = {
  boost_created: { en: 'Buy boost created.', ja: '買取強化を登録しました。' },
  boost_paused: {
    en: 'Buy boost paused. Apps no longer see it.',
    ja: '買取強化を一時停止しました。アプリには表示されません。',
  },
  boost_resumed: { en: 'Buy boost resumed.', ja: '買取強化を再開しました。' },
  boost_ended: { en: 'Buy boost ended.', ja: '買取強化を終了しました。' },
  boost_raised: { en: 'Quantity increased.', ja: '残りの買取数を増やしました。' },
  purchase_undone: {
    en: 'Purchase undone. The units were voided and the quantity was restored.',
    ja: '買取を取り消しました。在庫品の登録を取り消し、買取数を戻しました。',
  },
  receipt_undone: {
    en: 'Undone. The units were voided.',
    ja: '入庫を取り消しました。在庫品の登録も取り消しました。',
  },
  saved: { en: 'Saved.', ja: '保存しました。' },
  unchanged: { en: 'Nothing was changed.', ja: '変更はありませんでした。' },
  invited: { en: 'Invitation sent.', ja: '招待を送信しました。' },
  invited_by_link: {
    en: 'Invitation created. No mail server is set, so send the link below to the person yourself.',
    ja: '招待を作成しました。メールサーバーが設定されていないため、下のリンクをご自身でお渡しください。',
  },
  invited_unsent: {
    en: 'The invitation was created, but the email could not be sent. Send it again below. If that fails too, contact the operator.',
    ja: '招待を作成しましたが、メールを送信できませんでした。下の「再送信」をお試しください。それでも送信できない場合は、運営者にご連絡ください。',
  },
  invitation_withdrawn: {
    en: 'Invitation withdrawn. Its link has stopped working.',
    ja: '招待を取り消しました。招待のリンクは無効になりました。',
  },
  member_deactivated: { en: 'Member deactivated.', ja: 'メンバーの利用を停止しました。' },
  member_activated: { en: 'Member reactivated.', ja: 'メンバーの利用を再開しました。' },
  joined: {
    en: 'Welcome! You are now a member of this shop.',
    ja: 'ようこそ。このショップのメンバーになりました。',
  },
  set_up: {
    en: 'Your shop is ready. You are signed in as its owner.',
    ja: 'ショップを作成しました。オーナーとしてログインしています。',
  },
  password_changed: {
    en: 'Password changed. You have been signed out of all other browsers.',
    ja: 'パスワードを変更しました。ほかのブラウザからはすべてログアウトしました。',
  },
  password_changed_not_passkeys: {
    en: 'Password changed. You have been signed out of all other browsers. Your passkeys still work, so check them too.',
    ja: 'パスワードを変更しました。ほかのブラウザからはすべてログアウトしました。パスキーは引き続き使えるため、あわせて確認してください。',
  },
  password_reset_passkeys: {
    en: 'Password changed. You have been signed out of all other browsers, and your passkeys were removed. Add them again.',
    ja: 'パスワードを変更しました。ほかのブラウザからはすべてログアウトし、パスキーを削除しました。パスキーは登録し直してください。',
  },
  reset_mailed: {
    en: 'The email with the reset link was sent.',
    ja: '再設定用のリンクをメールで送信しました。',
  },
  reset_filed: {
    en: 'No mail server is set, so the email was saved to a file on the server. Ask the operator for the link.',
    ja: 'メールサーバーが設定されていないため、メールは送信されず、サーバー上のファイルに保存されました。リンクは運営者にお問い合わせください。',
  },
  reset_unsent: {
    en: 'The email could not be sent. Try again. If that fails too, contact the operator.',
    ja: 'メールを送信できませんでした。もう一度お試しください。それでも送信できない場合は、運営者にご連絡ください。',
  },
  reset_throttled: {
    en: 'Too many reset links for this address. Try again in 20 minutes.',
    ja: 'このアドレスへのリンクの発行が多すぎます。20 分後にもう一度お試しください。',
  },
  session_ended: { en: 'Browser signed out.', ja: '選択したブラウザをログアウトしました。' },
  sessions_ended: {
    en: 'You have been signed out of all other browsers.',
    ja: 'ほかのブラウザからすべてログアウトしました。',
  },
  passkey_added: { en: 'Passkey added.', ja: 'パスキーを追加しました。' },
  passkeys_removed: { en: 'All passkeys removed.', ja: 'すべてのパスキーを削除しました。' },
  passkey_removed: { en: 'Passkey removed.', ja: 'パスキーを削除しました。' },
  webhook_lost: {
    en: 'Saved. The app’s webhook was removed, because no redirect URI has the same host any more.',
    ja: '保存しました。同じホストのリダイレクト URI がなくなったため、アプリの Webhook を削除しました。',
  },
  app_enabled: { en: 'App enabled.', ja: 'アプリを有効にしました。' },
  app_disabled: {
    en: 'App disabled. It cannot do anything until you enable it.',
    ja: 'アプリを無効にしました。有効にするまで、アプリは何も操作できません。',
  },
  app_deleted: { en: 'App deleted.', ja: 'アプリを削除しました。' },
  secret_removed: {
    en: 'Secret removed. It has stopped working.',
    ja: 'シークレットを削除しました。このシークレットは使えなくなりました。',
  },
  key_removed: {
    en: 'API key removed. It has stopped working.',
    ja: 'API キーを削除しました。このキーは使えなくなりました。',
  },
  connection_ended: { en: 'Connection ended.', ja: '接続を解除しました。' },
  unit_in_stock: { en: 'Unit back in stock.', ja: '「在庫あり」に戻しました。' },
  unit_reserved: { en: 'Unit reserved.', ja: '「取り置き中」にしました。' },
  unit_in_transit: { en: 'Unit marked as in transit.', ja: '「移動中」にしました。' },
  unit_grading: { en: 'Unit sent to grading.', ja: '「鑑定中」にしました。' },
  unit_sold: { en: 'Unit marked as sold.', ja: '「販売済み」にしました。' },
  unit_returned: { en: 'Unit marked as returned.', ja: '「返却済み」にしました。' },
  unit_written_off: { en: 'Unit written off.', ja: '「除却済み」にしました。' },
  unit_voided: { en: 'Unit voided.', ja: '在庫品の登録を取り消しました。' },
  unit_moved: { en: 'Unit moved.', ja: '在庫品を移動しました。' },
  photo_saved: { en: 'Photo saved.', ja: '写真を保存しました。' },
  photo_removed: { en: 'Photo removed.', ja: '写真を削除しました。' },
  site_added: { en: 'Site added.', ja: '拠点を追加しました。' },
  location_added: { en: 'Location added.', ja: '保管場所を追加しました。' },
} as const satisfies Readonly<Record<string, Readonly<Record<Language, string>>>>;

/** The end of the message about a bulk action. The message begins with the number of units. */
const BULK_FLASHES = {
  units_in_stock: { en: 'in stock', ja: '「在庫あり」に戻しました' },
  units_reserved: { en: 'reserved', ja: '「取り置き中」にしました' },
  units_in_transit: { en: 'in transit', ja: '「移動中」にしました' },
  units_grading: { en: 'at grading', ja: '「鑑定中」にしました' },
  units_sold: { en: 'sold', ja: '「販売済み」にしました' },
  units_returned: { en: 'returned', ja: '「返却済み」にしました' },
  units_written_off: { en: 'written off', ja: '「除却済み」にしました' },
  units_voided: { en: 'voided', ja: '「登録取消」にしました' },
  units_moved: { en: 'moved', ja: '移動しました' },
  units_undone: { en: 'restored', ja: '元に戻しました' },
  units_received: { en: 'received', ja: '入庫しました' },
} as const satisfies Readonly<Record<string, Readonly<Record<Language, string>>>>;

/**
 * The code of a message. The code of a bulk action also contains the number of units changed and
 * the number that already had the status.
 */
export type FlashCode = keyof typeof FLASHES | `${keyof typeof BULK_FLASHES}.${number}.${number}`;

/** Counts have at most four digits, which is enough for the units on a page. */
const BULK_FLASH_PATTERN = /^(units_[a-z_]+)\.(\d{1,4})\.(\d{1,4})$/;

/** Returns the code in a cookie, or null if the code is missing or unknown. */
export function readFlash(text: string | undefined): FlashCode | null {
  return text !== undefined && isFlash(text) ? text : null;
}

function isFlash(text: string): text is FlashCode {
  return Object.hasOwn(FLASHES, text) || parseBulkFlash(text) !== null;
}

export function flashText(code: FlashCode, language: Language): string {
  return isSingle(code) ? FLASHES[code][language] : bulkFlashText(code, language);
}

function isSingle(code: FlashCode): code is keyof typeof FLASHES {
  return Object.hasOwn(FLASHES, code);
}

function parseBulkFlash(text: string): {
  readonly what: keyof typeof BULK_FLASHES;
  readonly changed: number;
  readonly same: number;
} | null {
  const [, what = '', changed, same] = BULK_FLASH_PATTERN.exec(text) ?? [];
  return isBulkFlash(what) ? { what, changed: Number(changed), same: Number(same) } : null;
}

function isBulkFlash(what: string): what is keyof typeof BULK_FLASHES {
  return Object.hasOwn(BULK_FLASHES, what);
}

function bulkFlashText(code: string, language: Language): string {
  const parsed = parseBulkFlash(code);
  if (parsed === null) return '';
  const { changed, same } = parsed;
  const what = BULK_FLASHES[parsed.what][language];
  if (language === 'ja') {
    const already = same === 0 ? '' : `${same} 点に変更はありません。`;
    return changed === 0 ? already : `${changed} 点を${what}。${already}`;
  }
  const units = changed === 1 ? '1 unit is' : `${changed} units are`;
  const moved = changed === 1 ? '1 unit was' : `${changed} units were`;
  const already = same === 0 ? '' : `${same} needed no change.`;
  if (changed === 0) return already;
  const isPast = ['units_moved', 'units_received', 'units_undone'].includes(parsed.what);
  const done = isPast ? `${moved} ${what}.` : `${units} now ${what}.`;
  return already === '' ? done : `${done} ${already}`;
}

/**
 * Returns the `Set-Cookie` that carries a code to the next page, or removes the cookie if the code
 * is null.
 */
export function flashCookie(code: FlashCode | null, isSecure: boolean): string {
  const secure = isSecure ? '; Secure' : '';
  const value = code === null ? '; Max-Age=0' : `${code}; Max-Age=60`;
  return `${FLASH_COOKIE}=${value}; Path=/console; HttpOnly; SameSite=Lax${secure}`;
}
