import type { SecretPrefix } from '../base/secrets.ts';
import { cookieName, readCookie, renderCookie } from '../html/cookie.ts';

/** An hour to sign in or to type a name or password. Then the link must be opened again. */
const LIFETIME_SECONDS = 3_600;

/** Returns the cookie for the secret of the invitation that was last opened in this browser. */
export function invitationCookie(publicUrl: string): LinkCookie {
  return new LinkCookie('cardport_invitation', 'cpi', publicUrl);
}

/** Returns the cookie for the secret of the password reset that was last opened in this browser. */
export function resetCookie(publicUrl: string): LinkCookie {
  return new LinkCookie('cardport_reset', 'cpp', publicUrl);
}

/**
 * Stores the secret of a link that was opened in this browser. The secret is not part of the page's
 * address, so that it does not appear in the history, the referrer or shared screens (decision
 * 0214).
 */
export class LinkCookie {
  readonly #name: string;
  readonly #pattern: RegExp;
  readonly #isSecure: boolean;

  constructor(name: string, prefix: SecretPrefix, publicUrl: string) {
    this.#isSecure = publicUrl.startsWith('https:');
    this.#name = cookieName(name, this.#isSecure);
    this.#pattern = new RegExp(`^${prefix}_[A-Za-z0-9]{43}$`);
  }

  read(cookieHeader: string | undefined): string | undefined {
    const value = readCookie(cookieHeader, this.#name);
    return value !== undefined && this.#pattern.test(value) ? value : undefined;
  }

  /** A malformed secret clears the cookie. */
  set(secret: string): string {
    return this.#pattern.test(secret) ? this.#render(secret, LIFETIME_SECONDS) : this.clear();
  }

  clear(): string {
    return this.#render('', 0);
  }

  #render(value: string, maxAgeSeconds: number): string {
    return renderCookie(this.#name, value, { isSecure: this.#isSecure, maxAgeSeconds });
  }
}
