import type { Clock } from '../base/clock.ts';
import { networkOf } from '../base/network.ts';
import type { Database, Queryable } from '../database/database.ts';
import { type Account, emailForm, findAccountByEmail } from '../shops/account.ts';
import { isPasswordOf } from '../shops/password.ts';
import { endSession, startSession } from '../shops/session.ts';
import {
  type AttemptAnswer,
  attemptKey,
  countAttempt,
  forgetAttempt,
} from '../shops/sign-in-throttle.ts';
import { CheckQueue, type Place } from './check-queue.ts';

/** Password checks at once: each takes 19 MiB and a thread of four, which files and names need as well. */
const CHECKS_AT_ONCE_MAX = 2;
/** Checks that wait; at 40 ms each the last one waits under 2 s. Beyond it the answer is "come again" (503). */
const CHECKS_WAITING_MAX = 64;
/**
 * Failed attempts of a network under all names together, as a multiple of those under one name: 300 a minute by
 * default. A whole shop behind one address stays far below it, who tries one password on many names does not.
 */
const NAMES_PER_NETWORK = 5;

export interface SignInAttempt {
  readonly email: string;
  readonly password: string;
  readonly address: string;
  /** The session that this browser has already: it ends, so that each sign-in leaves exactly one. */
  readonly previousSecret: string | undefined;
  /** Aborted when the browser has gone: its attempt stays counted, and no work is done for it. */
  readonly signal: AbortSignal;
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
  readonly #checks = new CheckQueue({
    runningMax: CHECKS_AT_ONCE_MAX,
    waitingMax: CHECKS_WAITING_MAX,
  });

  /** `failuresPerMinute` null switches the throttle off. */
  constructor(db: Database, clock: Clock, failuresPerMinute: number | null) {
    this.#db = db;
    this.#clock = clock;
    this.#failuresPerMinute = failuresPerMinute;
  }

  async attempt(given: SignInAttempt): Promise<SignInResult> {
    // Before anything is awaited: else many at once would all find the queue empty.
    const place = this.#checks.reserve(networkOf(given.address));
    if (place === undefined) return { kind: 'busy' };
    try {
      return await this.#attemptIn(place, given);
    } finally {
      this.#checks.release(place, null);
    }
  }

  async #attemptIn(
    place: Place,
    { email, password, address, previousSecret, signal }: SignInAttempt,
  ): Promise<SignInResult> {
    const form = emailForm(email);
    const keys = {
      // What no account can have shares one counter.
      name: attemptKey('person', form ?? '', address),
      network: attemptKey('anybody', '', address),
    };
    const counted = await this.#count(keys);
    if (counted.kind === 'throttled') return counted;
    const found = form === undefined ? undefined : await findAccountByEmail(this.#db, form);
    const turn = await this.#checks.wait(place, signal);
    if (turn !== 'now') {
      // Nobody looked at the password of who had to make room.
      if (turn === 'evicted') await this.#forget(this.#db, keys);
      return { kind: 'busy' };
    }
    let isRight: boolean;
    try {
      isRight = await isPasswordOf(password, found?.passwordHash ?? null);
    } finally {
      this.#checks.release(place, turn);
    }
    if (!isRight || found === undefined) return { kind: 'refused' };
    const session = await this.#db.transaction(async (tx) => {
      if (previousSecret !== undefined) await endSession(tx, previousSecret);
      await this.#forget(tx, keys);
      return await startSession(tx, found.id, this.#clock.now());
    });
    const account = { id: found.id, email: found.email, name: found.name };
    return { kind: 'signed_in', secret: session.secret, account };
  }

  async #count(keys: AttemptKeys): Promise<AttemptAnswer> {
    const perMinute = this.#failuresPerMinute;
    if (perMinute === null) return { kind: 'allowed' };
    const now = this.#clock.now();
    const ofNetwork = perMinute * NAMES_PER_NETWORK;
    const answer = await countAttempt(this.#db, keys.network, ofNetwork, now);
    if (answer.kind === 'throttled') return answer;
    const ofName = await countAttempt(this.#db, keys.name, perMinute, now);
    // Who insists on a blocked name tries no password, and is not to block everybody behind the same address.
    if (ofName.kind === 'throttled') await forgetAttempt(this.#db, keys.network);
    return ofName;
  }

  async #forget(db: Queryable, keys: AttemptKeys): Promise<void> {
    if (this.#failuresPerMinute === null) return;
    await forgetAttempt(db, keys.network);
    await forgetAttempt(db, keys.name);
  }
}

interface AttemptKeys {
  readonly name: string;
  readonly network: string;
}
