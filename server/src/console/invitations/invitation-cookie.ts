import { cookieName, readCookie, renderCookie } from '../../pages/cookie.ts';

/** Whoever has opened the mail's link may take an hour to sign in or to find a name; then he opens it again. */
const LIFETIME_SECONDS = 3_600;
const SECRET = /^cpi_[A-Za-z0-9]{43}$/;

/**
 * Holds the secret of the invitation that was opened last in this browser. Out of the address: it stands in no history, no
 * referrer, and on no screen that somebody shares (decision 0214).
 */
export class InvitationCookie {
  readonly #name: string;
  readonly #isSecure: boolean;

  constructor(publicUrl: string) {
    this.#isSecure = publicUrl.startsWith('https:');
    this.#name = cookieName('cardport_invitation', this.#isSecure);
  }

  /** The secret that a browser sent, or undefined when there is none of our form. */
  read(cookieHeader: string | undefined): string | undefined {
    const value = readCookie(cookieHeader, this.#name);
    return value !== undefined && SECRET.test(value) ? value : undefined;
  }

  /** The `Set-Cookie` that keeps the secret of a link; of what is none, one that forgets the last one. */
  keep(secret: string): string {
    return SECRET.test(secret) ? this.#render(secret, LIFETIME_SECONDS) : this.forget();
  }

  /** The `Set-Cookie` that forgets it. */
  forget(): string {
    return this.#render('', 0);
  }

  #render(value: string, maxAgeSeconds: number): string {
    return renderCookie(this.#name, value, { isSecure: this.#isSecure, maxAgeSeconds });
  }
}
