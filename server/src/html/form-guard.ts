import { createHmac } from 'node:crypto';
import { isSameSecret, newSecret } from '../base/secrets.ts';
import { cookieName, readCookie, renderCookie } from './cookie.ts';

export const FORM_TOKEN_FIELD = 'form_token';

/** The lifetime of a session, because a form may stay open that long. */
const COOKIE_SECONDS = 12 * 60 * 60;

export interface FormRequest {
  readonly cookieHeader: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
}

/**
 * Protects forms against CSRF. Each form contains an HMAC of a secret cookie and of the form's
 * purpose. If the browser sends `Origin` or `Sec-Fetch-Site`, the header must name this site.
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
    const { tokens, setCookie } = this.issueAll(cookieHeader, [purpose]);
    return { token: tokens[0] ?? '', setCookie };
  }

  issueAll(
    cookieHeader: string | undefined,
    purposes: readonly string[],
  ): { readonly tokens: readonly string[]; readonly setCookie: string | null } {
    const known = this.#read(cookieHeader);
    const secret = known ?? newSecret('cpw');
    const options = { isSecure: this.#isSecure, maxAgeSeconds: COOKIE_SECONDS };
    const setCookie = known === undefined ? renderCookie(this.#cookie, secret, options) : null;
    return { tokens: purposes.map((purpose) => this.#token(secret, purpose)), setCookie };
  }

  /** Returns true if this service issued the form for this browser and this purpose. */
  isValid(request: FormRequest, token: string | undefined, purpose: string): boolean {
    if (!this.isFromThisSite(request)) return false;
    const secret = this.#read(request.cookieHeader);
    if (secret === undefined || token === undefined) return false;
    return isSameSecret(token, this.#token(secret, purpose));
  }

  /** Returns false if the browser says that a page of another site sent the request. */
  isFromThisSite({ origin, fetchSite }: FormRequest): boolean {
    if (origin !== undefined && origin !== this.#origin) return false;
    return fetchSite === undefined || ['same-origin', 'none'].includes(fetchSite);
  }

  #read(cookieHeader: string | undefined): string | undefined {
    const value = readCookie(cookieHeader, this.#cookie);
    return value !== undefined && /^cpw_[A-Za-z0-9]{43}$/.test(value) ? value : undefined;
  }

  #token(secret: string, purpose: string): string {
    return createHmac('sha256', this.#key).update(`${secret}\n${purpose}`).digest('base64url');
  }
}
