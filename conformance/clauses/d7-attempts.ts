import { createHmac } from 'node:crypto';
import type { Context } from '../context.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectBody, expectSame } from '../expect.ts';
import { headOf, readPage } from '../feed.ts';
import { openWebhook, type OpenWebhook } from '../webhooks.ts';
import { type ReceivedNotice, signatureOf } from '../receiver.ts';
import { webhookRegistration } from '../resources.ts';

const test = testFactory('D7');

/** The `Retry-After` that the receiver sends. */
const RETRY_AFTER_SECONDS = 2;
/** Timers may fire up to this much too early. */
const TIMER_MARGIN_MS = 50;

/**
 * Returns the Standard Webhooks signature: `v1,` and the base64 HMAC-SHA256 with the decoded
 * secret.
 */
function standardSignature(secret: string, { headers, body }: ReceivedNotice): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

function standardSignatures({ headers }: ReceivedNotice): readonly string[] {
  return (headers['webhook-signature'] ?? '').split(' ');
}

/** Checks both signatures of a notice against its own timestamp and body. */
function expectSigned(context: Context, secret: string, notice: ReceivedNotice): void {
  const { timestampHeader, signatureHeader } = context.target.names;
  const timestamp = notice.headers[timestampHeader.toLowerCase()] ?? '';
  const signature = notice.headers[signatureHeader.toLowerCase()];
  expectSame('the signature', signature, `v1=${signatureOf(secret, timestamp, notice.body)}`);
  const isVerified = standardSignatures(notice).includes(standardSignature(secret, notice));
  expect(isVerified, 'a Standard Webhooks signature that verifies', notice.headers['webhook-id']);
}

/**
 * Reads the feed forward from a cursor, which shows that the app is working again and makes the
 * service retry early.
 */
async function readForward(context: Context, webhook: OpenWebhook, cursor: string): Promise<void> {
  const { nextCursor } = await readPage(context, webhook.app, cursor);
  await readPage(context, webhook.app, nextCursor);
}

export const tests: readonly ConformanceTest[] = [
  test(
    'retry',
    'a failed delivery is retried after Retry-After, with the same event and body and a new timestamp and signatures',
    async (context) => {
      await using webhook = await openWebhook(context);
      const { receiver, secret } = webhook;
      const cursor = await headOf(webhook.app);
      receiver.answerWith(503, { 'Retry-After': String(RETRY_AFTER_SECONDS) });
      await context.control.changeStock(context.shop.id);
      const first = await receiver.nextAfter(0);
      receiver.answerWith(204);
      await readForward(context, webhook, cursor);
      const second = await receiver.nextAfter(1);
      const waitedMs = second.receivedAtMs - first.receivedAtMs;
      expect(
        waitedMs > RETRY_AFTER_SECONDS * 1_000 - TIMER_MARGIN_MS,
        `no retry within the ${RETRY_AFTER_SECONDS} s of Retry-After`,
        waitedMs,
      );
      expectSame('the body', second.body, first.body);
      for (const name of ['x-service-event-id', 'webhook-id']) {
        expectSame(name, second.headers[name], first.headers[name]);
      }
      expectSame('the attempt', second.headers['x-service-attempt'], '2');
      for (const name of [context.target.names.timestampHeader, 'webhook-timestamp']) {
        const [before, after] = [first, second].map(({ headers }) => headers[name.toLowerCase()]);
        expect(Number(after) > Number(before), `a later ${name} than ${before}`, after);
      }
      for (const notice of [first, second]) expectSigned(context, secret, notice);
    },
  ),

  test(
    'redirect',
    'a redirect by the receiver is a failure and is not followed',
    async (context) => {
      await using webhook = await openWebhook(context);
      const { receiver } = webhook;
      const cursor = await headOf(webhook.app);
      receiver.answerWith(307, { Location: `${receiver.url}/elsewhere` });
      await context.control.changeStock(context.shop.id);
      await receiver.nextAfter(0);
      receiver.answerWith(204);
      await readForward(context, webhook, cursor);
      const second = await receiver.nextAfter(1);
      expectSame('the path', second.path, new URL(receiver.url).pathname);
      expectSame('the attempt', second.headers['x-service-attempt'], '2');
    },
  ),

  test(
    'previous-secret',
    'after another PUT, webhook-signature has signatures with the new and the previous secret',
    async (context) => {
      await using webhook = await openWebhook(context);
      const registered = await webhook.app.put('/webhook', { url: webhook.receiver.url });
      const { secret } = expectBody(registered, 200, webhookRegistration);
      await context.control.changeStock(context.shop.id);
      const notice = await webhook.receiver.nextAfter(0);
      expectSigned(context, secret, notice);
      const isVerified = standardSignatures(notice).includes(
        standardSignature(webhook.secret, notice),
      );
      expect(isVerified, 'a signature with the previous secret', standardSignatures(notice).length);
    },
  ),

  test(
    'paused',
    'while the app is disabled, no event is sent; when it is enabled again, the changes are notified',
    async (context) => {
      await using webhook = await openWebhook(context);
      const { clientId } = webhook.app.app;
      await context.control.disableApp(clientId);
      try {
        await context.control.changeStock(context.shop.id);
      } finally {
        await context.control.enableApp(clientId);
      }
      const { headers, body } = await webhook.receiver.nextAfter(0);
      expect(body.includes(webhook.connectionId), 'the event of the connection', body);
      expectSame('the attempt', headers['x-service-attempt'], '1');
      expectSame('the number of deliveries', webhook.receiver.notices.length, 1);
    },
  ),
];
