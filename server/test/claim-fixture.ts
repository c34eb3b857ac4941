import assert from 'node:assert/strict';
import { statement } from '../src/database/statement.ts';
import type { AttemptResult } from '../src/webhooks/attempt.ts';
import { type ClaimedDelivery, claimDeliveries } from '../src/delivery/claim.ts';
import { listDueDeliveries, listDueDeliveriesOfShops } from '../src/delivery/due-deliveries.ts';
import { recordAttempts, type SettledAttempt } from '../src/delivery/record.ts';
import { type TestHook, WebhookFixture } from './webhook-fixture.ts';

/** An origin without a listener, because these tests send nothing. */
export const CLAIM_ORIGIN = 'http://127.0.0.1:9';
/** A minimum interval that does not end while a test runs. */
export const LONG_INTERVAL_MS = 60_000;

export const DELIVERED: AttemptResult = { kind: 'delivered', status: 204, latencyMs: 7 };
export const FAILED = {
  kind: 'failed',
  status: 500,
  error: 'status',
  latencyMs: 7,
  retryAfterSeconds: null,
} as const satisfies AttemptResult;
export const INTERRUPTED: AttemptResult = { ...FAILED, status: null, error: 'interrupted' };
export const STALE: AttemptResult = { ...FAILED, status: null, error: 'reset', isStale: true };

export const endTestMinInterval = statement(
  'test_end_pace',
  `update webhook set paced_until = now() where connection_id = $1`,
);
export const bringTestRetryForward = statement(
  'test_bring_forward',
  `update webhook set early_at = $2 where connection_id = $1`,
);

/** Claims deliveries and records their results without a worker. */
export class ClaimFixture extends WebhookFixture {
  /** Claims all due deliveries of these webhooks. */
  async claimAll(
    hooks: readonly TestHook[],
    { leaseMs = 60_000, keyIds = this.secrets.keyIds, now = this.clock.now() } = {},
  ): Promise<ClaimedDelivery[]> {
    return await this.db.transaction(
      async (tx) => await claimDeliveries(tx, hooks, { now, leaseMs, keyIds }),
    );
  }

  /**
   * Claims a webhook that must be due. With `leaseMs` 0 the lease expires immediately, as if the
   * worker had died.
   */
  async claim(hook: TestHook, leaseMs = 60_000): Promise<ClaimedDelivery> {
    const [claimed] = await this.claimAll([hook], { leaseMs });
    assert.ok(claimed, 'nothing was due');
    return claimed;
  }

  async assertNothingDue(hook: TestHook): Promise<void> {
    assert.deepEqual(await this.claimAll([hook]), []);
  }

  /** Records the result of an attempt. Returns undefined when the lease was lost. */
  async record(
    delivery: ClaimedDelivery,
    result: AttemptResult,
    minIntervalMs = 0,
  ): Promise<SettledAttempt | undefined> {
    const ended = { delivery, result, endedAt: this.clock.now() };
    const terms = { random: () => 0.5, minIntervalMs };
    const { settled } = await this.db.transaction(
      async (tx) => await recordAttempts(tx, [ended], terms),
    );
    return settled.get(delivery.connectionId);
  }

  /** Ends the minimum interval after the last attempt. */
  async endMinInterval({ connectionId }: TestHook): Promise<void> {
    await this.db.query(endTestMinInterval, [connectionId]);
  }

  /** Makes a waiting retry due early, as a read of the feed does. */
  async bringForward({ connectionId }: TestHook): Promise<void> {
    await this.db.query(bringTestRetryForward, [connectionId, this.clock.now()]);
  }

  /** Returns the milliseconds until the waiting retry; a large negative number if there is none. */
  async dueInMs(hook: TestHook): Promise<number> {
    return Number((await this.row(hook)).nextAttemptAt) - this.clock.now().getTime();
  }

  /**
   * Returns the connections that the poll of woken shops finds, and those that the full poll finds.
   */
  async listDueByPoll({ shopId }: TestHook): Promise<readonly string[][]> {
    const bounds = { exceptFast: [], exceptSlow: [], limit: 10 };
    const all = { ...bounds, keyIds: this.secrets.keyIds };
    const now = this.clock.now();
    const found = [
      await listDueDeliveriesOfShops(this.db, [shopId], now, { ...all, horizonMs: 0 }),
      await listDueDeliveries(this.db, now, all),
    ];
    return found.map((rows) => rows.map((row) => row.connectionId));
  }
}
