// A webhook worker as a child process that kills itself (SIGKILL) at a chosen step.
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../src/base/clock.ts';
import { silentLog } from '../src/base/log.ts';
import { openChannel } from '../src/database/open-channel.ts';
import { openConfiguredDatabase } from '../src/runtime/configured-database.ts';
import type { WebhookSender } from '../src/webhooks/attempt.ts';
import { startDeliveryWorker } from '../src/delivery/delivery-loop.ts';
import { openGuardedSender } from '../src/delivery/guarded-sender.ts';
import { WebhookSecrets } from '../src/webhooks/webhook-secrets.ts';
import { testConfig } from '../test/service.ts';
import { type Crasher, CrashingDatabase } from './crashing-database.ts';

/**
 * A message from the parent process: the worker must kill itself at the next occurrence of the
 * step.
 */
export interface ArmMessage {
  readonly at: string;
}

/** The delay between the start of a send and the kill. */
const INTO_SEND_MS = 2;
const DEADLINE_MS = 5_000;

/** Ends the process at the step that was set by `arm`. */
class NamedCrasher implements Crasher {
  #armed = '';

  arm(where: string): void {
    this.#armed = where;
  }

  async step(where: string): Promise<void> {
    if (where !== this.#armed) return;
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => {});
  }
}

function makeCrashingSender(inner: WebhookSender, crasher: Crasher): WebhookSender {
  return {
    send: async (request, signal) => {
      await crasher.step('before send');
      const sending = inner.send(request, signal);
      void pause(INTO_SEND_MS).then(async () => await crasher.step('in send'));
      const result = await sending;
      await crasher.step('after send');
      return result;
    },
    close: async () => await inner.close(),
  };
}

const { DATABASE_URL = '', PUBLIC_URL = '', ATTEMPT_MS = '', LEASE_MS = '' } = process.env;
const ALLOW_LOOPBACK_WEBHOOKS = 'true';
const config = testConfig({ DATABASE_URL, PUBLIC_URL, ALLOW_LOOPBACK_WEBHOOKS });
const onFault = (error: unknown): void => console.error('the worker reported an error:', error);
const store = await openConfiguredDatabase(config, onFault);
const channel = await openChannel(store.engine, { onFault });
const crasher = new NamedCrasher();
const sender = openGuardedSender({
  allowsLoopback: true,
  limits: { attemptMs: Number(ATTEMPT_MS) },
});
const delivery = startDeliveryWorker({
  db: new CrashingDatabase(store.db, crasher),
  channel,
  clock: systemClock,
  log: silentLog(),
  secrets: new WebhookSecrets(store.secretKey, null),
  sender: makeCrashingSender(sender, crasher),
  onFault,
  meters: { delivered: () => undefined, failed: () => undefined, receiptTime: () => undefined },
  options: { leaseMs: Number(LEASE_MS) },
});
process.on('message', ({ at }: ArmMessage) => crasher.arm(at));
process.once('SIGTERM', () => {
  void (async (): Promise<void> => {
    await delivery.close(DEADLINE_MS);
    await sender.close();
    await channel.close();
    await store[Symbol.asyncDispose]();
    process.exit(0);
  })();
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
