import { createHmac } from 'node:crypto';
import { isSameSecret, newSecret } from '../base/secrets.ts';
import { cookieName, readCookie, renderCookie } from './cookie.ts';

export const FORM_TOKEN_FIELD = 'form_token';

/** The cookie's lifetime is that of a session, because a form may stay open that long. */
const COOKIE_SECONDS = 12 * 60 * 60;

export interface FormRequest {
  readonly cookieHeader: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
}

/**
 * Protects forms against CSRF. A form contains an HMAC over a secret cookie, its purpose and its
 * session, and the browser's `Origin` and `Sec-Fetch-Site` must not contradict it.
 */
export class FormGuard {
  readonly #key: Buffer;
  readonly #origin: string;
  readonly #isSecure: boolean;
  readonly #cookie: string;

  constructor(key: Buffer, publicUrl: string) {
    this.#key = key;
    this.#origin = new URL(publicUrl).origin;
    this.#isSecure = publicUrl.startsWith('https:');
    this.#cookie = cookieName('cardport_form', this.#isSecure);
  }

  /** Returns the token of the hidden field, and a `Set-Cookie` if the browser has no cookie. */
  issue(
    cookieHeader: string | undefined,
    purpose: string,
  ): { readonly token: string; readonly setCookie: string | null } {
    const known = this.#read(cookieHeader);
    const secret = known ?? newSecret('cpw');
    const options = { isSecure: this.#isSecure, maxAgeSeconds: COOKIE_SECONDS };
    const setCookie = known === undefined ? renderCookie(this.#cookie, secret, options) : null;
    return { token: this.#token(secret, purpose), setCookie };
  }

  /** Returns true if this service issued the form for this browser and this purpose. */
  isValid(request: FormRequest, token: string | undefined, purpose: string): boolean {
    if (request.origin !== undefined && request.origin !== this.#origin) return false;
    if (request.fetchSite !== undefined && !['same-origin', 'none'].includes(request.fetchSite)) {
      return false;
    }
    const secret = this.#read(request.cookieHeader);
    if (secret === undefined || token === undefined) return false;
    return isSameSecret(token, this.#token(secret, purpose));
  }

  #read(cookieHeader: string | undefined): string | undefined {
    const value = readCookie(cookieHeader, this.#cookie);
    return value !== undefined && /^cpw_[A-Za-z0-9]{43}$/.test(value) ? value : undefined;
  }

  #token(secret: string, purpose: string): string {
    return createHmac('sha256', this.#key).update(`${secret}\n${purpose}`).digest('base64url');
  }
}
