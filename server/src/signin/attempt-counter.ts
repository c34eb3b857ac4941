import type { Clock } from '../base/clock.ts';
import type { Database, Queryable } from '../database/database.ts';
import {
  type AttemptAnswer,
  attemptKey,
  countAttempt,
  forgetAttempt,
} from '../shops/sign-in-throttle.ts';

/**
 * Failed attempts of a network under all names together, as a multiple of those under one name: 300 a minute by
 * default. A whole shop behind one address stays far below it, who tries one password on many names does not.
 */
const NAMES_PER_NETWORK = 5;

/** What one attempt is counted by. `name` null: it names nobody (a passkey, a challenge). */
export interface AttemptKeys {
  readonly name: string | null;
  readonly network: string;
}

/** The keys of an attempt under a name in its one form (`emailForm`); what no account can have shares one counter. */
export function keysOfName(form: string | undefined, address: string): AttemptKeys {
  return {
    name: attemptKey('person', form ?? '', address),
    network: attemptKey('anybody', '', address),
  };
}

/** The keys of an attempt that names nobody; those of `what` count by themselves. */
export function keysOfNetwork(address: string, what = ''): AttemptKeys {
  return { name: null, network: attemptKey('anybody', what, address) };
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
    const ofNetwork = perMinute * NAMES_PER_NETWORK;
    const answer = await countAttempt(this.#db, keys.network, ofNetwork, now);
    if (answer.kind === 'throttled' || keys.name === null) return answer;
    const ofName = await countAttempt(this.#db, keys.name, perMinute, now);
    // Who insists on a blocked name tries no password, and is not to block everybody behind the same address.
    if (ofName.kind === 'throttled') await forgetAttempt(this.#db, keys.network);
    return ofName;
  }

  /** Takes an attempt back that succeeded, or that nobody looked at. */
  async forget(db: Queryable, keys: AttemptKeys): Promise<void> {
    if (this.#failuresPerMinute === null) return;
    await forgetAttempt(db, keys.network);
    if (keys.name !== null) await forgetAttempt(db, keys.name);
  }
}
