import { recordRestore } from '../approvals/lost-token.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import type { Transaction } from '../database/database.ts';
import type { Engine } from '../database/engine.ts';
import {
  identityValues,
  type KnownIdentity,
  lockIdentity,
  markLoss,
  recordIdentity,
  type RestoreState,
  selectIdentity,
} from '../database/identity.ts';
import type { FeedPosition } from '../inventory/cursor.ts';
import { isPastHead, readHead } from '../inventory/feed.ts';
import { startNewEpoch } from '../inventory/feed-epoch.ts';
import type { LossCheck } from '../oauth/grant-store.ts';
import { makeWebhooksDue } from '../webhooks/after-restore.ts';
import type { OpenedDatabase } from './configured-database.ts';

const LOGGED_EVERY_MS = 600_000;
const LOG_LEVELS = { none: 'info', replaced: 'error', lost: 'error', promoted: 'warn' } as const;

/** What the operator should do. `/readyz` shows these texts publicly. */
export const RESTORE_ADVICE: Readonly<Record<RestoreState, string>> = {
  none: 'the restore of the database was decided',
  replaced:
    'the database was restored or replaced: reads with a cursor get 503 until you run "cardport restored", or "cardport restored --same-data" if no change was lost',
  lost: 'the database lacks changes that apps have seen, so all cursors have expired: run "cardport restored", so that apps keep their approvals',
  promoted:
    'another server has become the primary: run "cardport restored" if it may lack changes, or else "cardport restored --same-data"',
};

interface RestoreWatchOptions {
  readonly store: Pick<OpenedDatabase, 'db' | 'engine'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: Config;
}

/** Notices a restored or replaced database, and protects apps until the operator decides (0238). */
export class RestoreWatch {
  readonly #options: RestoreWatchOptions;
  // The first check replaces this date, before which every token counts as decided.
  #known: KnownIdentity = { state: 'none', decidedAt: new Date(8.64e15), isReadable: true };
  #loggedMs = 0;

  constructor(options: RestoreWatchOptions) {
    this.#options = options;
  }

  get isReplaced(): boolean {
    return this.#known.state === 'replaced';
  }

  get warnings(): readonly string[] {
    return this.#known.state === 'none' ? [] : [RESTORE_ADVICE[this.#known.state]];
  }

  readonly check = async (): Promise<void> => {
    const { store, clock, log, config } = this.#options;
    const { db, engine } = store;
    const known = await db.one(selectIdentity, identityValues(engine, config));
    if (known === undefined) {
      await db.query(recordIdentity, [engine.folderId, clock.now(), false]);
      return await this.check();
    }
    const { state } = known;
    const isOld = performance.now() - this.#loggedMs > LOGGED_EVERY_MS;
    const expires = state === 'replaced' && config.onRestore === 'expire';
    if (!expires && (state !== this.#known.state || (state !== 'none' && isOld))) {
      this.#loggedMs = performance.now();
      log[LOG_LEVELS[state]]({}, RESTORE_ADVICE[state]);
    }
    this.#known = known;
    if (expires) {
      await db.transaction(
        async (tx) => await this.#expire(tx, (locked) => locked?.state === 'replaced'),
      );
    }
  };

  /** A genuine cursor past the head proves that changes were lost. */
  async reportExpiredCursor(shopId: string, position: FeedPosition): Promise<void> {
    const { db } = this.#options.store;
    if (!isPastHead(position, await readHead(db, shopId))) return;
    await db.transaction(async (tx) => {
      const isLost = async (): Promise<boolean> => isPastHead(position, await readHead(tx, shopId));
      await this.#expire(tx, isLost, position.epoch);
    });
  }

  /** A refresh token that is newer than all others of its approval proves it, too. */
  readonly isLossUndecided: LossCheck = async (tx, issuedAt, isNewest) => {
    const isDecided = ({ decidedAt }: KnownIdentity): boolean => issuedAt <= decidedAt;
    if (this.isReplaced || !isNewest || isDecided(this.#known)) return this.isReplaced;
    await this.#expire(
      tx,
      (known) => known !== undefined && known.state !== 'lost' && !isDecided(known),
    );
    return true;
  };

  /** Expires all cursors if `isLost` returns true under the lock: only one process does it. */
  async #expire(
    tx: Transaction,
    isLost: (known: KnownIdentity | undefined) => boolean | Promise<boolean>,
    lastEpoch = 0,
  ): Promise<void> {
    const { store, clock, log, config } = this.#options;
    const known = await tx.one(lockIdentity, identityValues(store.engine, config));
    if (!(await isLost(known))) return;
    const event = known?.state === 'replaced' ? 'was restored or replaced' : 'lost changes';
    const now = clock.now();
    if (config.onRestore === 'expire') await recordRestored(tx, store.engine, now, lastEpoch);
    else {
      await tx.query(markLoss, [now]);
      await expireCursors(tx, now, lastEpoch);
    }
    tx.afterCommit(() => log.error({}, `the database ${event}: all cursors have expired`));
  }
}

/** The effect of `cardport restored`. Returns the number of shops. */
export async function recordRestored(
  tx: Transaction,
  engine: Engine,
  now: Date,
  lastEpoch = 0,
): Promise<number> {
  await recordRestore(tx, now);
  await tx.query(recordIdentity, [engine.folderId, now, true]);
  return await expireCursors(tx, now, lastEpoch);
}

async function expireCursors(tx: Transaction, now: Date, lastEpoch: number): Promise<number> {
  await makeWebhooksDue(tx, now);
  return await startNewEpoch(tx, now, lastEpoch);
}
