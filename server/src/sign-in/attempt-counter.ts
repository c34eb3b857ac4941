import type { Clock } from '../base/clock.ts';
import { networkOf } from '../base/network.ts';
import type { Database, Queryable, Transaction } from '../database/database.ts';
import {
  type ThrottleResult,
  attemptKey,
  budgetKey,
  countAttempt,
  DEVICE_BUDGET,
  type FailureBudget,
  refundAttempt,
  refundFailure,
  RESET_ADDRESS_BUDGET,
  RESET_NETWORK_BUDGET,
  spendFailure,
  UNKNOWN_DEVICES_BUDGET,
} from '../shops/sign-in-throttle.ts';

/**
 * The limit of one network, as a multiple of the limit of one name: 300 failures a minute by
 * default. All members of a shop behind one address stay far below this; password spraying does
 * not.
 */
const NAMES_PER_NETWORK = 5;

export interface AttemptKeys {
  /**
   * Counts the attempts per minute from one network, for all names together. Null for a known
   * device, and for an account that is already signed in.
   */
  readonly network: string | null;
  /**
   * Counts the attempts per minute for one name from one network. Null for a known device, and for
   * a sign-in with a passkey.
   */
  readonly name: string | null;
  /** The failure budget that attempts from all networks share. */
  readonly budget: { readonly key: string; readonly size: FailureBudget } | null;
}

/**
 * `canonicalEmail` is from `normalizeEmail`; names that no account can have share one counter. An
 * account that is already signed in (`isSignedIn`) confirms its password with a separate budget,
 * which other people cannot use up.
 */
export function keysOfName(
  canonicalEmail: string | undefined,
  address: string,
  isSignedIn = false,
): AttemptKeys {
  const key = budgetKey(isSignedIn ? 'signed in' : 'account', canonicalEmail ?? '');
  const name = isSignedIn ? `signed in\n${canonicalEmail ?? ''}` : (canonicalEmail ?? '');
  return {
    network: isSignedIn ? null : attemptKey('anybody', '', address),
    name: attemptKey('person', name, address),
    budget: { key, size: UNKNOWN_DEVICES_BUDGET },
  };
}

/** Separate counters for a known browser, so that other browsers cannot use up its attempts. */
export function keysOfDevice(deviceId: string, accountId: string): AttemptKeys {
  const key = budgetKey('device', `${deviceId}\n${accountId}`);
  return { network: null, name: null, budget: { key, size: DEVICE_BUDGET } };
}

/** Attempts with different values of `purpose` are counted separately. */
export function keysOfNetwork(address: string, purpose = ''): AttemptKeys {
  return { network: attemptKey('anybody', purpose, address), name: null, budget: null };
}

/** Counts each sign-in attempt before it is checked, across all nodes. */
export class AttemptCounter {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #failuresPerMinute: number | null;

  /** `failuresPerMinute` is the limit for one name. Null turns counting off. */
  constructor(db: Database, clock: Clock, failuresPerMinute: number | null) {
    this.#db = db;
    this.#clock = clock;
    this.#failuresPerMinute = failuresPerMinute;
  }

  async count(keys: AttemptKeys): Promise<ThrottleResult> {
    const perMinute = this.#failuresPerMinute;
    if (perMinute === null) return { kind: 'allowed' };
    const now = this.#clock.now();
    if (keys.network !== null) {
      const ofNetwork = perMinute * NAMES_PER_NETWORK;
      const result = await countAttempt(this.#db, keys.network, ofNetwork, now);
      if (result.kind === 'throttled') return result;
    }
    const ofName = await this.#countName(keys, perMinute, now);
    // Repeated attempts for a blocked name do not test a password, so they must not block other
    // names from the same address.
    if (ofName.kind === 'throttled' && keys.network !== null) {
      await refundAttempt(this.#db, keys.network);
    }
    return ofName;
  }

  async #countName(
    { name, budget }: AttemptKeys,
    perMinute: number,
    now: Date,
  ): Promise<ThrottleResult> {
    if (name !== null) {
      const result = await countAttempt(this.#db, name, perMinute, now);
      if (result.kind === 'throttled') return result;
    }
    if (budget === null) return { kind: 'allowed' };
    return await spendFailure(this.#db, budget.key, budget.size, now);
  }

  /**
   * Counts a password reset that a person requests from a network address. An email address without
   * an account is counted in the same way.
   */
  async countReset(canonicalEmail: string, address: string): Promise<ThrottleResult> {
    if (this.#failuresPerMinute === null) return { kind: 'allowed' };
    const now = this.#clock.now();
    const network = budgetKey('reset network', networkOf(address));
    const ofNetwork = await spendFailure(this.#db, network, RESET_NETWORK_BUDGET, now);
    if (ofNetwork.kind === 'throttled') return ofNetwork;
    const key = budgetKey('reset', canonicalEmail);
    const ofAddress = await spendFailure(this.#db, key, RESET_ADDRESS_BUDGET, now);
    // A refused request sends no mail, so it must not block other people in the same network.
    if (ofAddress.kind === 'throttled') {
      await refundFailure(this.#db, network, RESET_NETWORK_BUDGET);
    }
    return ofAddress;
  }

  /** Counts a reset link that a manager creates, in the transaction that creates it. */
  async countManagerReset(tx: Transaction, shopId: string, id: string): Promise<ThrottleResult> {
    if (this.#failuresPerMinute === null) return { kind: 'allowed' };
    const key = budgetKey('manager', `${shopId}\n${id}`);
    return await spendFailure(tx, key, RESET_ADDRESS_BUDGET, this.#clock.now());
  }

  /** Refunds an attempt that succeeded or was never checked. */
  async refund(db: Queryable, keys: AttemptKeys): Promise<void> {
    if (this.#failuresPerMinute === null) return;
    const { network, name, budget } = keys;
    if (network !== null) await refundAttempt(db, network);
    if (name !== null) await refundAttempt(db, name);
    if (budget !== null) await refundFailure(db, budget.key, budget.size);
  }
}
