import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../base/clock.ts';
import type { WebhookSender, SignedRequest } from '../webhooks/attempt.ts';
import type { ClaimedDelivery } from './claim.ts';
import { sendClaimed } from './send-claimed.ts';
import { newWebhookSecret, WebhookSecrets } from '../webhooks/webhook-secrets.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const [shopId, connectionId] = ['shop', 'connection'];

function startBench(): {
  readonly sent: SignedRequest[];
  readonly faults: unknown[];
  readonly send: (claimedMsAgo: number, changes?: Partial<ClaimedDelivery>) => Promise<string>;
} {
  const sent: SignedRequest[] = [];
  const faults: unknown[] = [];
  const sender: WebhookSender = {
    send: async (notice) => {
      sent.push(notice);
      return await Promise.resolve({ kind: 'delivered', status: 200, latencyMs: 1 });
    },
    close: async () => await Promise.resolve(),
  };
  const secrets = new WebhookSecrets('a secret key of tests', null);
  const { sealed, keyId } = secrets.seal(newWebhookSecret(), shopId, connectionId);
  const claimed: ClaimedDelivery = {
    shopId,
    connectionId,
    clientId: 'app_test',
    appName: 'Mirror',
    registrationId: 'registration',
    leaseId: 'lease',
    url: 'https://app.example/hook',
    origin: 'https://app.example',
    number: 1,
    eventId: 'event',
    attempt: 1,
    occurredAt: NOW,
    coversEpoch: 1,
    coversSeq: 1,
    isTestDelivery: false,
    isEarly: false,
    startedAt: NOW,
    failures: 0,
    failedForMs: null,
    interruptedNumber: null,
    secretSealed: sealed,
    secretKeyId: keyId,
    previousSealed: null,
    previousKeyId: null,
    previousUntil: null,
  };
  const tools = {
    clock: new ManualClock(NOW),
    secrets,
    sender,
    onFault: (error: unknown): void => void faults.push(error),
  };
  const { signal } = new AbortController();
  return {
    sent,
    faults,
    send: async (claimedMsAgo, changes = {}) => {
      const claimedAtMs = performance.now() - claimedMsAgo;
      const result = await sendClaimed({ ...claimed, ...changes }, claimedAtMs, tools, signal);
      return result.kind === 'failed' ? result.error : result.kind;
    },
  };
}

describe('sending a claimed event', () => {
  it('a claim is released without sending if the process was suspended for 2 s', async () => {
    const bench = startBench();
    assert.equal(await bench.send(2_001), 'interrupted');
    assert.deepEqual([bench.sent, bench.faults], [[], []]);
    assert.equal(await bench.send(1_000), 'delivered');
    assert.equal(bench.sent.length, 1);
  });

  it('an event is signed without the previous secret if that secret cannot be decrypted', async () => {
    const bench = startBench();
    const previousUntil = new Date(NOW.getTime() + 1);
    const previous = { previousSealed: Buffer.from('?'), previousKeyId: 'gone', previousUntil };
    assert.equal(await bench.send(0, previous), 'delivered');
    assert.equal(bench.sent[0]?.headers['webhook-signature']?.split(' ').length, 1);
  });

  it('an event is not sent if the secret cannot be decrypted, and the failure is reported', async () => {
    const bench = startBench();
    assert.equal(await bench.send(0, { secretSealed: Buffer.from('altered') }), 'protocol');
    assert.equal(bench.faults.length, 1);
    assert.equal(bench.sent.length, 0);
  });
});
