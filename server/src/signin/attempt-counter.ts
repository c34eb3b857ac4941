import type { Clock } from '../base/clock.ts';
import type { Database, Queryable } from '../database/database.ts';
import {
  type AttemptAnswer,
  attemptKey,
  budgetKey,
  countAttempt,
  DEVICE_BUDGET,
  type FailureBudget,
  forgetAttempt,
  refundFailure,
  spendFailure,
  STRANGERS_BUDGET,
} from '../shops/sign-in-throttle.ts';

/**
 * Failed attempts of a network under all names together, as a multiple of those under one name: 300 a minute by
 * default. A whole shop behind one address stays far below it, who tries one password on many names does not.
 */
const NAMES_PER_NETWORK = 5;

/** What one attempt is counted by. */
export interface AttemptKeys {
  /** All names together, by the minute; null: only the budget counts. */
  readonly network: string | null;
  /** Null: the attempt names no account (a passkey, a challenge). */
  readonly name: string | null;
  /** Over all networks. */
  readonly budget: { readonly key: string; readonly size: FailureBudget } | null;
}

/**
 * The keys of an attempt under a name in its one form (`emailForm`); what no account can have shares one counter.
 * `isSignedIn`: a signed-in person types the password again, and has a budget that strangers cannot spend.
 */
export function keysOfName(
  form: string | undefined,
  address: string,
  isSignedIn = false,
): AttemptKeys {
  const key = budgetKey(isSignedIn ? 'signed in' : 'account', form ?? '');
  const name = isSignedIn ? `signed in\n${form ?? ''}` : (form ?? '');
  return {
    network: isSignedIn ? null : attemptKey('anybody', '', address),
    name: attemptKey('person', name, address),
    budget: { key, size: STRANGERS_BUDGET },
  };
}

/** The keys of an attempt from a browser that has signed in to the account before. Other browsers cannot spend them. */
export function keysOfDevice(deviceId: string, accountId: string): AttemptKeys {
  const key = budgetKey('device', `${deviceId}\n${accountId}`);
  return { network: null, name: null, budget: { key, size: DEVICE_BUDGET } };
}

/** The keys of an attempt that names nobody; those of `what` count by themselves. */
export function keysOfNetwork(address: string, what = ''): AttemptKeys {
  return { network: attemptKey('anybody', what, address), name: null, budget: null };
}

/** Counts attempts to sign in on all nodes together, before they are made. */
export class AttemptCounter {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #failuresPerMinute: number | null;

  /** `failuresPerMinute` null lets everything through. */
  constructor(db: Database, clock: Clock, failuresPerMinute: number | null) {
    this.#db = db;
    this.#clock = clock;
    this.#failuresPerMinute = failuresPerMinute;
  }

  /** Counts an attempt, or says how long to wait. */
  async count(keys: AttemptKeys): Promise<AttemptAnswer> {
    const perMinute = this.#failuresPerMinute;
    if (perMinute === null) return { kind: 'allowed' };
    const now = this.#clock.now();
    if (keys.network !== null) {
      const ofNetwork = perMinute * NAMES_PER_NETWORK;
      const answer = await countAttempt(this.#db, keys.network, ofNetwork, now);
      if (answer.kind === 'throttled') return answer;
    }
    const ofName = await this.#countName(keys, perMinute, now);
    // Who insists on a blocked name tries no password, and is not to block everybody behind the same address.
    if (ofName.kind === 'throttled' && keys.network !== null) {
      await forgetAttempt(this.#db, keys.network);
    }
    return ofName;
  }

  async #countName(
    { name, budget }: AttemptKeys,
    perMinute: number,
    now: Date,
  ): Promise<AttemptAnswer> {
    if (name !== null) {
      const answer = await countAttempt(this.#db, name, perMinute, now);
      if (answer.kind === 'throttled') return answer;
    }
    if (budget === null) return { kind: 'allowed' };
    return await spendFailure(this.#db, budget.key, budget.size, now);
  }

  /** Takes an attempt back that succeeded, or that nobody looked at. */
  async forget(db: Queryable, keys: AttemptKeys): Promise<void> {
    if (this.#failuresPerMinute === null) return;
    const { network, name, budget } = keys;
    if (network !== null) await forgetAttempt(db, network);
    if (name !== null) await forgetAttempt(db, name);
    if (budget !== null) await refundFailure(db, budget.key, budget.size);
  }
}
