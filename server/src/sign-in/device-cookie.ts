import { createHmac, randomBytes } from 'node:crypto';
import { isSameSecret } from '../base/secrets.ts';
import { cookieName, readCookie, renderCookie } from '../html/cookie.ts';
import type { AccountWithPassword } from '../shops/account.ts';

/** The lifetime of the cookie. Browsers limit cookies to 400 days (RFC 6265bis §5.5). */
const COOKIE_SECONDS = 400 * 24 * 60 * 60;
/**
 * The maximum number of accounts that share a browser, for example at a till. The account that
 * signed in least recently is dropped.
 */
const SEALS_MAX = 8;
/** 128 bits are enough, because guesses can only be tested against this service. */
const ID_BYTES = 16;
/** The length of signatures and seals in base64url. 22 characters are 132 bits. */
const SIGNATURE_CHARACTERS = 22;
const FORM = /^[A-Za-z0-9_-]{22}(?:\.[A-Za-z0-9_-]{22}){1,9}$/;

export interface Device {
  readonly id: string;
  /** One for each account that has signed in, newest first. It does not reveal the account. */
  readonly seals: readonly string[];
}

type SealedAccount = Pick<AccountWithPassword, 'id' | 'passwordHash'>;

/**
 * Shows that an account has signed in from this browser before (OWASP: device cookies), so that
 * other people's failures do not lock out the owner. The cookie does not grant access. Its value
 * has the format `id.signature.seal…`. A seal is an HMAC over id, account and password hash, so
 * that a new password invalidates the seals in all other browsers (decision 0213).
 */
export class DeviceCookie {
  readonly #key: Buffer;
  readonly #isSecure: boolean;
  readonly #name: string;

  constructor(key: Buffer, publicUrl: string) {
    this.#key = key;
    this.#isSecure = publicUrl.startsWith('https:');
    this.#name = cookieName('cardport_device', this.#isSecure);
  }

  /** Returns the device, or undefined if the cookie is missing or its signature is wrong. */
  read(cookieHeader: string | undefined): Device | undefined {
    const value = readCookie(cookieHeader, this.#name);
    if (value === undefined || !FORM.test(value)) return undefined;
    const [id = '', signature = '', ...seals] = value.split('.');
    return isSameSecret(signature, this.#sign(`device\n${id}`)) ? { id, seals } : undefined;
  }

  /** Returns true if the account has signed in from this device since its password was set. */
  knows(device: Device, account: SealedAccount): boolean {
    const seal = this.#seal(device.id, account);
    return device.seals.some((each) => isSameSecret(each, seal));
  }

  /** Returns the `Set-Cookie` header for a sign-in. `device` comes from the request's cookie. */
  set(device: Device | undefined, account: SealedAccount): string {
    const id = device?.id ?? randomBytes(ID_BYTES).toString('base64url');
    const seal = this.#seal(id, account);
    const others = (device?.seals ?? []).filter((each) => each !== seal);
    const seals = [seal, ...others].slice(0, SEALS_MAX);
    const value = [id, this.#sign(`device\n${id}`), ...seals].join('.');
    const options = { isSecure: this.#isSecure, maxAgeSeconds: COOKIE_SECONDS };
    return renderCookie(this.#name, value, options);
  }

  #seal(deviceId: string, { id, passwordHash }: SealedAccount): string {
    return this.#sign(`account\n${deviceId}\n${id}\n${passwordHash}`);
  }

  #sign(text: string): string {
    const signature = createHmac('sha256', this.#key).update(text).digest('base64url');
    return signature.slice(0, SIGNATURE_CHARACTERS);
  }
}
