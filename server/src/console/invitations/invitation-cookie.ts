import { cookieName, readCookie, renderCookie } from '../../html/cookie.ts';

/**
 * After opening the mail's link, an hour to sign in or choose a name; then the link must be opened
 * again.
 */
const LIFETIME_SECONDS = 3_600;
const SECRET = /^cpi_[A-Za-z0-9]{43}$/;

/**
 * Holds the secret of the invitation opened last in this browser. It is not in the address, so that
 * it does not get into the history, the referrer and shared screens (decision 0214).
 */
export class InvitationCookie {
  readonly #name: string;
  readonly #isSecure: boolean;

  constructor(publicUrl: string) {
    this.#isSecure = publicUrl.startsWith('https:');
    this.#name = cookieName('cardport_invitation', this.#isSecure);
  }

  /** The secret in the cookie; undefined when it is missing or malformed. */
  read(cookieHeader: string | undefined): string | undefined {
    const value = readCookie(cookieHeader, this.#name);
    return value !== undefined && SECRET.test(value) ? value : undefined;
  }

  /**
   * The `Set-Cookie` that stores a link's secret; for a malformed secret, the one that clears the
   * cookie.
   */
  set(secret: string): string {
    return SECRET.test(secret) ? this.#render(secret, LIFETIME_SECONDS) : this.clear();
  }

  /** The `Set-Cookie` that clears it. */
  clear(): string {
    return this.#render('', 0);
  }

  #render(value: string, maxAgeSeconds: number): string {
    return renderCookie(this.#name, value, { isSecure: this.#isSecure, maxAgeSeconds });
  }
}
