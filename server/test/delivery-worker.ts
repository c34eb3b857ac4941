import assert from 'node:assert/strict';
import type { Clock } from '../src/base/clock.ts';
import { openLog } from '../src/base/log.ts';
import type { Database } from '../src/database/database.ts';
import { isDatabaseUnavailable } from '../src/database/unavailable.ts';
import type { AttemptError } from '../src/webhooks/attempt.ts';
import type { DeliveryWorker, DeliveryOptions } from '../src/delivery/delivery-worker.ts';
import { startDeliveryWorker } from '../src/delivery/delivery-loop.ts';
import { openGuardedSender } from '../src/delivery/guarded-sender.ts';
import { FakeChannel } from './fake-channel.ts';
import type { WebhookFixture } from './webhook-fixture.ts';

/** A worker, and everything that it has reported. */
export interface TestWorker extends AsyncDisposable {
  readonly delivery: DeliveryWorker;
  readonly channel: FakeChannel;
  readonly lines: string[];
  readonly failed: AttemptError[];
  readonly receipts: number[];
  readonly faults: unknown[];
  /**
   * Errors caused by an unavailable or busy database. In production the outage log reports them.
   */
  readonly outages: unknown[];
}

/**
 * Starts a worker on the fixture's database, with the real sender. Disposing fails if the worker
 * reported an error.
 */
export function startWorker(
  fixture: WebhookFixture,
  options: DeliveryOptions = {},
  db: Database = fixture.db,
  clock: Clock = fixture.clock,
): TestWorker {
  const { secrets } = fixture;
  const channel = new FakeChannel();
  const sender = openGuardedSender({ allowsLoopback: true });
  const [lines, failed, receipts, faults]: [string[], AttemptError[], number[], unknown[]] = [
    [],
    [],
    [],
    [],
  ];
  const outages: unknown[] = [];
  const log = openLog({
    level: 'debug',
    write: (text) => void lines.push(...text.trimEnd().split('\n')),
  });
  const delivery = startDeliveryWorker({
    db,
    channel,
    clock,
    secrets,
    sender,
    log,
    onFault: (error) => void (isDatabaseUnavailable(error) ? outages : faults).push(error),
    meters: {
      delivered: () => undefined,
      failed: (error) => void failed.push(error),
      receiptTime: (milliseconds) => void receipts.push(milliseconds),
    },
    // The minimum interval uses the database's clock, which tests cannot set.
    options: { pollMs: 20, minIntervalMs: 0, random: () => 0.5, ...options },
  });
  return {
    delivery,
    channel,
    get lines() {
      log.flush();
      return lines;
    },
    failed,
    receipts,
    faults,
    outages,
    [Symbol.asyncDispose]: async () => {
      await delivery.close(5_000);
      await sender.close();
      log.close();
      assert.deepEqual(faults, []);
    },
  };
}
