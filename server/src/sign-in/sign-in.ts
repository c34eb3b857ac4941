import type { Clock } from '../base/clock.ts';
import { FairLimiter, type LimiterOptions, type Place } from '../base/fair-limiter.ts';
import { networkLevels } from '../base/network.ts';
import type { Database } from '../database/database.ts';
import {
  type Account,
  type AccountWithPassword,
  normalizeEmail,
  findAccountByEmail,
  lockUnchangedPassword,
  setPasswordHash,
} from '../shops/account.ts';
import { hashPassword, verifyPassword } from '../shops/password.ts';
import { findPasswordProblem, type PasswordProblem } from '../shops/password-policy.ts';
import { endOtherSessions } from '../shops/session-list.ts';
import { endSession, sessionOrigin, startSession } from '../shops/session.ts';
import { recordSignIn } from '../shops/sign-in-record.ts';
import {
  type AttemptCounter,
  type AttemptKeys,
  keysOfDevice,
  keysOfName,
} from './attempt-counter.ts';
import type { Device, DeviceCookie } from './device-cookie.ts';
import type { SignInReporter } from './sign-in-reporter.ts';

/**
 * A check needs 19 MiB and one of libuv's four threads, which file access and DNS need too. At 40 ms
 * each, the last waits less than 2 s. Beyond this limit, the response is a 503.
 */
export const CHECK_BOUNDS: LimiterOptions = {
  bounds: [{ running: 2, waiting: 64 }],
  waitMsMax: Infinity,
};

export interface TypedPassword {
  readonly email: string;
  readonly password: string;
  readonly address: string;
  readonly userAgent?: string | undefined;
  /** Aborted when the browser disconnects. The attempt counts, but no password is checked. */
  readonly signal: AbortSignal;
}

export interface SignInAttempt extends TypedPassword {
  /** The device from the cookie, or undefined for an unknown browser. */
  readonly device?: Device | undefined;
  /** The browser's current session. A sign-in ends it, so that the browser has exactly one. */
  readonly previousSecret: string | undefined;
}

export type SignInRefusal =
  /** A wrong password and an unknown email address give the same result in the same time. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }
  | { readonly kind: 'busy' };

export type SignInResult =
  | {
      readonly kind: 'signed_in';
      readonly secret: string;
      readonly account: Account;
      /** The `Set-Cookie` header that identifies this browser at the account's later sign-ins. */
      readonly deviceCookie: string;
    }
  | SignInRefusal;

export type ConfirmResult =
  | { readonly kind: 'right'; readonly passwordHash: string }
  | SignInRefusal;

export interface PasswordChange {
  readonly account: Account;
  readonly oldPassword: string;
  readonly newPassword: string;
  readonly address: string;
  /** The session that continues. All other sessions of the account end. */
  readonly sessionId: string;
  readonly userAgent?: string | undefined;
  readonly device?: Device | undefined;
  readonly signal: AbortSignal;
}

export type ChangePasswordResult =
  | {
      readonly kind: 'changed';
      readonly endedSessions: number;
      /**
       * The `Set-Cookie` header of the device cookie. The device cookies of all other browsers are
       * no longer valid for the account.
       */
      readonly deviceCookie: string;
    }
  /** The new password was rejected, so the old password was not checked. */
  | { readonly kind: PasswordProblem }
  | SignInRefusal;

export interface SignInOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly counter: AttemptCounter;
  readonly devices: DeviceCookie;
  readonly reporter: SignInReporter;
}

/** A person who signs in, or a signed-in account that confirms its password. */
export type Requester =
  | { readonly kind: 'stranger'; readonly device: Device | undefined }
  | { readonly kind: 'signed_in' };

/** Throttles attempts by name and address across all nodes, and limits concurrent checks. */
export class SignIn {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #counter: AttemptCounter;
  readonly #devices: DeviceCookie;
  readonly #reporter: SignInReporter;
  readonly #checks = new FairLimiter(CHECK_BOUNDS);

  constructor({ db, clock, counter, devices, reporter }: SignInOptions) {
    this.#db = db;
    this.#clock = clock;
    this.#counter = counter;
    this.#devices = devices;
    this.#reporter = reporter;
  }

  async attempt(given: SignInAttempt): Promise<SignInResult> {
    const { device, previousSecret, userAgent, address } = given;
    const checked = await this.#check(given, { kind: 'stranger', device });
    if (checked.kind !== 'right') return checked;
    const { found, keys } = checked;
    const origin = sessionOrigin(userAgent, address, 'password');
    const session = await this.#db.transaction(async (tx) => {
      // If the password changed during the check, start no session: that change could not end it.
      if (!(await lockUnchangedPassword(tx, found.id, found.passwordHash))) return undefined;
      if (previousSecret !== undefined) await endSession(tx, previousSecret);
      await this.#counter.refund(tx, keys);
      const now = this.#clock.now();
      await recordSignIn(tx, found.id, origin, now);
      return await startSession(tx, found.id, now, origin);
    });
    if (session === undefined) return { kind: 'refused' };
    this.#reporter.reportSignIn(found.id, origin);
    const { passwordHash: _, ...account } = found;
    const deviceCookie = this.#devices.set(device, found);
    return { kind: 'signed_in', secret: session.secret, account, deviceCookie };
  }

  async changePassword(change: PasswordChange): Promise<ChangePasswordResult> {
    const { account, oldPassword, newPassword, sessionId, device } = change;
    const fault = await findPasswordProblem(newPassword, account);
    if (fault !== undefined) return { kind: fault };
    const typed = { ...change, email: account.email, password: oldPassword };
    const checked = await this.#check(typed, { kind: 'signed_in' });
    if (checked.kind !== 'right') return checked;
    const passwordHash = await hashPassword(newPassword);
    return await this.#db.transaction(async (tx): Promise<ChangePasswordResult> => {
      if (!(await lockUnchangedPassword(tx, account.id, checked.found.passwordHash))) {
        return { kind: 'refused' };
      }
      await this.#counter.refund(tx, checked.keys);
      const now = this.#clock.now();
      const by = { kind: 'member', accountId: account.id } as const;
      await setPasswordHash(tx, account.id, passwordHash, now, by);
      const endedSessions = await endOtherSessions(tx, account.id, sessionId, now, by);
      const deviceCookie = this.#devices.set(device, { id: account.id, passwordHash });
      return { kind: 'changed', endedSessions, deviceCookie };
    });
  }

  /**
   * Checks the password of a signed-in account again. The result contains the hash for
   * `lockUnchangedPassword`.
   */
  async confirm(given: TypedPassword): Promise<ConfirmResult> {
    const checked = await this.#check(given, { kind: 'signed_in' });
    if (checked.kind !== 'right') return checked;
    await this.#counter.refund(this.#db, checked.keys);
    return { kind: 'right', passwordHash: checked.found.passwordHash };
  }

  /**
   * Hashes the password of a new account, in the same queue as the checks. Returns undefined if too
   * many checks are waiting.
   */
  async hashWithSlot(
    password: string,
    { address, signal }: Pick<TypedPassword, 'address' | 'signal'>,
  ): Promise<string | undefined> {
    const path = ['network', ...networkLevels(address)];
    return (await this.#checks.run(path, async () => await hashPassword(password), signal))?.value;
  }

  async #check(given: TypedPassword, requester: Requester): Promise<CheckedPassword> {
    // Reserve before the first `await`, or many concurrent attempts would see an empty queue.
    const place = this.#checks.reserve(queueGroups(given, requester));
    if (place === undefined) return { kind: 'busy' };
    try {
      return await this.#checkReserved(place, given, requester);
    } finally {
      place.release();
    }
  }

  async #checkReserved(
    place: Place,
    given: TypedPassword,
    requester: Requester,
  ): Promise<CheckedPassword> {
    const { email, password, address, userAgent, signal } = given;
    const canonicalEmail = normalizeEmail(email);
    const counted = await this.#count(canonicalEmail, address, requester);
    if (counted.kind === 'throttled') return counted;
    const { keys } = counted;
    const found =
      canonicalEmail === undefined ? undefined : await findAccountByEmail(this.#db, canonicalEmail);
    const waitResult = await place.wait(signal);
    if (waitResult !== 'now') {
      // Refund an evicted attempt, because its password was not checked.
      if (waitResult === 'evicted') await this.#counter.refund(this.#db, keys);
      return { kind: 'busy' };
    }
    const isRight = await verifyPassword(password, found?.passwordHash ?? null);
    place.release();
    if (isRight && found !== undefined) return { kind: 'right', found, keys };
    this.#reporter.reportFailure(found?.id ?? null, sessionOrigin(userAgent, address, 'password'));
    return { kind: 'refused' };
  }

  /**
   * Counts by device if the account recognizes the device and the device's budget is not used up,
   * otherwise by name and network.
   */
  async #count(
    canonicalEmail: string | undefined,
    address: string,
    requester: Requester,
  ): Promise<CountedAttempt> {
    const { device } = requester.kind === 'stranger' ? requester : {};
    if (device !== undefined && canonicalEmail !== undefined) {
      const found = await findAccountByEmail(this.#db, canonicalEmail);
      if (found !== undefined && this.#devices.knows(device, found)) {
        const keys = keysOfDevice(device.id, found.id);
        if ((await this.#counter.count(keys)).kind === 'allowed') return { kind: 'counted', keys };
      }
    }
    const keys = keysOfName(canonicalEmail, address, requester.kind === 'signed_in');
    const result = await this.#counter.count(keys);
    return result.kind === 'throttled' ? result : { kind: 'counted', keys };
  }
}

/**
 * Returns the groups of an attempt in the queue. Turns alternate between recognized browsers and
 * all others, then between networks, then between devices or accounts. Recognized browsers are
 * grouped by network too, because one account can obtain any number of device cookies.
 */
export function queueGroups(
  { email, address }: Pick<TypedPassword, 'email' | 'address'>,
  requester: Requester,
): readonly string[] {
  const levels = networkLevels(address);
  if (requester.kind === 'signed_in') return ['known', ...levels, `person ${email}`];
  const { device } = requester;
  return device === undefined
    ? ['network', ...levels]
    : ['known', ...levels, `device ${device.id}`];
}

type CountedAttempt =
  | { readonly kind: 'counted'; readonly keys: AttemptKeys }
  | Extract<SignInRefusal, { readonly kind: 'throttled' }>;

type CheckedPassword =
  | { readonly kind: 'right'; readonly found: AccountWithPassword; readonly keys: AttemptKeys }
  | SignInRefusal;
