import type { Queryable } from '../database/database.ts';
import { cookieName, readCookie, renderCookie } from '../html/cookie.ts';
import { languageCookie } from '../html/language-cookie.ts';
import { type Account, findAccount } from '../shops/account.ts';
import { findSession, SESSION_LIFETIME_SECONDS, type Session } from '../shops/session.ts';

export interface SignedIn {
  readonly secret: string;
  readonly session: Session;
  readonly account: Account;
}

/** The cookie with a session's secret, called `__Host-cardport_session` over https. */
export class SessionCookie {
  readonly #name: string;
  readonly #isSecure: boolean;

  constructor(publicUrl: string) {
    this.#isSecure = publicUrl.startsWith('https:');
    this.#name = cookieName('cardport_session', this.#isSecure);
  }

  read(cookieHeader: string | undefined): string | undefined {
    const value = readCookie(cookieHeader, this.#name);
    return value !== undefined && /^cpw_[A-Za-z0-9]{43}$/.test(value) ? value : undefined;
  }

  set(secret: string): string {
    const options = { isSecure: this.#isSecure, maxAgeSeconds: SESSION_LIFETIME_SECONDS };
    return renderCookie(this.#name, secret, options);
  }

  /** The session, the device, and the account's language if it is set. */
  signInCookies({
    secret,
    account,
    deviceCookie,
  }: Pick<SignedIn, 'secret' | 'account'> & { readonly deviceCookie: string }): readonly string[] {
    const { language } = account;
    const chosen = language === null ? [] : [languageCookie(language, this.#isSecure)];
    return [this.set(secret), deviceCookie, ...chosen];
  }

  clear(): string {
    return renderCookie(this.#name, '', { isSecure: this.#isSecure, maxAgeSeconds: 0 });
  }

  async find(
    db: Queryable,
    cookieHeader: string | undefined,
    now: Date,
  ): Promise<SignedIn | undefined> {
    const secret = this.read(cookieHeader);
    if (secret === undefined) return undefined;
    const session = await findSession(db, secret, now);
    if (session === undefined) return undefined;
    const account = await findAccount(db, session.accountId);
    return account === undefined ? undefined : { secret, session, account };
  }
}
