import type { Clock } from '../base/clock.ts';
import type { Database } from '../database/database.ts';
import { type Account, findAccountByEmail } from '../shops/account.ts';
import { isPasswordOf } from '../shops/password.ts';
import { endSession, startSession } from '../shops/session.ts';
import { attemptKey, countAttempt, forgetAttempt } from '../shops/sign-in-throttle.ts';

/** Password checks at once: each takes 19 MiB and a thread of four, which files and names need as well. */
const CHECKS_AT_ONCE_MAX = 2;
/** Checks that wait; at 40 ms each the last one waits under 2 s. Beyond it the answer is "come again" (503). */
const CHECKS_WAITING_MAX = 64;
/** Bound of the schema (0001_shops.sql). */
const EMAIL_CHARACTERS_MAX = 254;

export interface SignInAttempt {
  readonly email: string;
  readonly password: string;
  readonly address: string;
  /** The session that this browser has already: it ends, so that each sign-in leaves exactly one. */
  readonly previousSecret: string | undefined;
}

export type SignInResult =
  | { readonly kind: 'signed_in'; readonly secret: string; readonly account: Account }
  /** Wrong password and unknown e-mail are one answer, in one time. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }
  | { readonly kind: 'busy' };

/** Signs persons in: throttled by name and address on all nodes together, with a bounded number of password checks. */
export class SignIn {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #failuresPerMinute: number | null;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** `failuresPerMinute` null switches the throttle off. */
  constructor(db: Database, clock: Clock, failuresPerMinute: number | null) {
    this.#db = db;
    this.#clock = clock;
    this.#failuresPerMinute = failuresPerMinute;
  }

  async attempt({
    email,
    password,
    address,
    previousSecret,
  }: SignInAttempt): Promise<SignInResult> {
    if (this.#waiting.length >= CHECKS_WAITING_MAX) return { kind: 'busy' };
    const key = attemptKey('person', email.slice(0, EMAIL_CHARACTERS_MAX), address);
    if (this.#failuresPerMinute !== null) {
      const answer = await countAttempt(this.#db, key, this.#failuresPerMinute, this.#clock.now());
      if (answer.kind === 'throttled') return answer;
    }
    const account = await this.#verify(email.trim(), password);
    if (account === undefined) return { kind: 'refused' };
    const session = await this.#db.transaction(async (tx) => {
      if (previousSecret !== undefined) await endSession(tx, previousSecret);
      if (this.#failuresPerMinute !== null) await forgetAttempt(tx, key);
      return await startSession(tx, account.id, this.#clock.now());
    });
    return { kind: 'signed_in', secret: session.secret, account };
  }

  async #verify(email: string, password: string): Promise<Account | undefined> {
    const isPossible = email.length <= EMAIL_CHARACTERS_MAX && email.isWellFormed();
    const found = isPossible ? await findAccountByEmail(this.#db, email) : undefined;
    await this.#enter();
    try {
      if (!(await isPasswordOf(password, found?.passwordHash ?? null))) return undefined;
    } finally {
      this.#leave();
    }
    return found === undefined ? undefined : { id: found.id, email: found.email, name: found.name };
  }

  async #enter(): Promise<void> {
    if (this.#running < CHECKS_AT_ONCE_MAX) {
      this.#running++;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #leave(): void {
    const next = this.#waiting.shift();
    // The place goes straight to the one that waited longest.
    if (next === undefined) this.#running--;
    else next();
  }
}
