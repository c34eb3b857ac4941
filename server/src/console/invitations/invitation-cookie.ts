import { cookieName, readCookie, renderCookie } from '../../html/cookie.ts';

/**
 * After opening the link in the mail, a person has an hour to sign in or choose a name. Then the
 * link must be opened again.
 */
const LIFETIME_SECONDS = 3_600;
const SECRET = /^cpi_[A-Za-z0-9]{43}$/;

/**
 * Stores the secret of the invitation that was last opened in this browser. The secret is not part
 * of the page's address, so that it does not appear in the history, the referrer or shared screens
 * (decision 0214).
 */
export class InvitationCookie {
  readonly #name: string;
  readonly #isSecure: boolean;

  constructor(publicUrl: string) {
    this.#isSecure = publicUrl.startsWith('https:');
    this.#name = cookieName('cardport_invitation', this.#isSecure);
  }

  /** Returns the secret in the cookie, or undefined if it is missing or malformed. */
  read(cookieHeader: string | undefined): string | undefined {
    const value = readCookie(cookieHeader, this.#name);
    return value !== undefined && SECRET.test(value) ? value : undefined;
  }

  /**
   * Returns the `Set-Cookie` that stores a link's secret, or clears the cookie if the secret is
   * malformed.
   */
  set(secret: string): string {
    return SECRET.test(secret) ? this.#render(secret, LIFETIME_SECONDS) : this.clear();
  }

  /** Returns the `Set-Cookie` that clears the cookie. */
  clear(): string {
    return this.#render('', 0);
  }

  #render(value: string, maxAgeSeconds: number): string {
    return renderCookie(this.#name, value, { isSecure: this.#isSecure, maxAgeSeconds });
  }
}
