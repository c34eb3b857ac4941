import assert from 'node:assert/strict';
import { it } from 'node:test';
import { silentLog } from '../base/log.ts';
import { onEachEngine } from '../../test/engines.ts';
import { HandChannel } from '../../test/hand-channel.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { startReceiver, WebhookBench } from '../../test/webhook-bench.ts';
import { startDelivery, type Delivery, type DeliveryOptions } from './delivery.ts';
import { openGuardedSender } from './guarded-sender.ts';

/** A worker over a bench's database, with the real sender. */
function startWorker(
  bench: WebhookBench,
  options: DeliveryOptions = {},
): AsyncDisposable & { readonly delivery: Delivery; readonly channel: HandChannel } {
  const { db, clock, secrets } = bench;
  const channel = new HandChannel();
  const sender = openGuardedSender({ allowsLoopback: true });
  const delivery = startDelivery({
    db,
    channel,
    clock,
    secrets,
    sender,
    log: silentLog(),
    onFault: (error) => {
      throw error;
    },
    meters: { delivered: () => undefined, failed: () => undefined, receipt: () => undefined },
    options: { pollMs: 10, random: () => 0.5, ...options },
  });
  return {
    delivery,
    channel,
    [Symbol.asyncDispose]: async () => {
      await delivery.close(5_000);
      await sender.close();
    },
  };
}

onEachEngine('the delivery of notices (6)', (open) => {
  it('tells of a change', async () => {
    await using base = await open();
    await using receiver = await startReceiver();
    const bench = new WebhookBench(base.db);
    const hook = await bench.hook(receiver.origin);
    await using worker = startWorker(bench);
    await bench.change(hook);
    await waitUntil(() => receiver.notices.length > 0, 5_000);
    await waitUntil(async () => (await bench.row(hook)).acknowledgedSeq === 1);
    assert.equal(worker.delivery.state.due, 0);
    console.log(await bench.row(hook), await bench.attempts(hook), receiver.notices);
  });
});
