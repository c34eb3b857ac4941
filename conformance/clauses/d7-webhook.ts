import { createHmac } from 'node:crypto';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectBody, expectError, expectSame, expectStatus } from '../expect.ts';
import { openWebhook, getSharedNotice } from '../webhooks.ts';
import { connection, webhookRegistration } from '../resources.ts';

const test = testFactory('D7');

const URL_CHARACTERS_MAX = 2_048;

export const tests: readonly ConformanceTest[] = [
  test(
    'body-faults',
    'a body that is not a JSON object, or has no string url, gets 400 invalid_request',
    async (context) => {
      const app = await context.sharedConnection();
      for (const value of [
        [],
        'x',
        null,
        {},
        { url: null },
        { url: 1 },
        { url: ['https://app.example/'] },
      ]) {
        expectError(await app.put('/webhook', value), 400, 'invalid_request');
      }
      const broken = { headers: { 'Content-Type': 'application/json' }, body: '{"url":' };
      expectError(await app.call('PUT', '/webhook', broken), 400, 'invalid_request');
    },
  ),

  test(
    'url-parts',
    'a URL with userinfo, a fragment, an IP address or localhost gets 422 invalid_webhook_url',
    async (context) => {
      const app = await context.sharedConnection();
      const { host } = new URL(context.target.webhook.acceptableUrl);
      for (const url of [
        `https://user@${host}/hook`,
        `https://user:pass@${host}/hook`,
        `https://${host}/hook#part`,
        'https://192.0.2.1/hook',
        'https://[2001:db8::1]/hook',
        'https://localhost/hook',
      ]) {
        expectError(await app.put('/webhook', { url }), 422, 'invalid_webhook_url');
      }
    },
  ),

  test(
    'no-url',
    'a url that is not an absolute URL gets 422 invalid_webhook_url',
    async (context) => {
      const app = await context.sharedConnection();
      for (const url of ['', 'hook', '/hook', 'https://', 'https:///hook']) {
        expectError(await app.put('/webhook', { url }), 422, 'invalid_webhook_url');
      }
    },
  ),

  test('url-length', 'a URL has at most 2,048 characters', async (context) => {
    const app = await context.connected({ app: context.spareApp });
    const { origin } = new URL(context.target.webhook.acceptableUrl);
    const longest = `${origin}/${'a'.repeat(URL_CHARACTERS_MAX - origin.length - 1)}`;
    expectBody(await app.put('/webhook', { url: longest }), 200, webhookRegistration);
    expectError(await app.put('/webhook', { url: `${longest}a` }), 422, 'invalid_webhook_url');
    await app.delete('/webhook');
  }),

  test(
    'delete',
    'DELETE /webhook returns 204 without a body, even when no webhook is set',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      for (let count = 0; count < 2; count++) {
        const removed = await app.delete('/webhook');
        expectStatus(removed, 204);
        expectSame('the body', removed.text, '');
      }
    },
  ),

  test('created-at', 'createdAt is the time of the last registration', async (context) => {
    const app = await context.connected({ app: context.spareApp });
    const url = context.target.webhook.acceptableUrl;
    const first = expectBody(await app.put('/webhook', { url }), 200, webhookRegistration);
    const second = expectBody(await app.put('/webhook', { url }), 200, webhookRegistration);
    const isLater = Date.parse(second.createdAt) > Date.parse(first.createdAt);
    expect(isLater, `a createdAt after ${first.createdAt}`, second.createdAt);
    const { webhook } = expectBody(await app.get('/connection'), 200, connection);
    expectSame('webhook.createdAt', webhook?.createdAt, second.createdAt);
    await app.delete('/webhook');
  }),

  test('secret-form', 'the secret is whsec_ and the padded base64 of 32 bytes', async (context) => {
    const app = await context.connected({ app: context.spareApp });
    const registered = await app.put('/webhook', { url: context.target.webhook.acceptableUrl });
    const { secret } = expectBody(registered, 200, webhookRegistration);
    const encoded = secret.slice('whsec_'.length);
    const bytes = Buffer.from(encoded, 'base64');
    expectSame('the number of bytes', bytes.length, 32);
    expectSame('the padded base64', bytes.toString('base64'), encoded);
    await app.delete('/webhook');
  }),

  test(
    'signature-form',
    'the signature is v1= and 64 lower-case hexadecimal digits',
    async (context) => {
      const { notice } = await getSharedNotice(context);
      const signature =
        notice.headers[context.target.names.signatureHeader.toLowerCase()] ?? 'none';
      expect(/^v1=[0-9a-f]{64}$/.test(signature), 'hexadecimal digits in lower case', signature);
    },
  ),

  test('timestamp-form', 'the timestamp is in whole Unix seconds', async (context) => {
    const { notice } = await getSharedNotice(context);
    const timestamp = notice.headers[context.target.names.timestampHeader.toLowerCase()] ?? 'none';
    expect(/^\d{10}$/.test(timestamp), 'Unix seconds', timestamp);
  }),

  test(
    'standard-webhooks',
    'the Standard Webhooks headers are present, and their signature verifies',
    async (context) => {
      const { notice, secret } = await getSharedNotice(context);
      const id = notice.headers['webhook-id'] ?? '';
      const timestamp = notice.headers['webhook-timestamp'] ?? '';
      const signatures = (notice.headers['webhook-signature'] ?? '').split(' ');
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      const expected = createHmac('sha256', key)
        .update(`${id}.${timestamp}.${notice.body}`)
        .digest('base64');
      expect(
        id !== '' && signatures.includes(`v1,${expected}`),
        'a signature that verifies',
        signatures.length,
      );
    },
  ),

  test(
    'attempt-headers',
    'X-Service-Event-Id and X-Service-Attempt identify the event and the attempt',
    async (context) => {
      const { notice } = await getSharedNotice(context);
      expect(
        (notice.headers['x-service-event-id'] ?? '') !== '',
        'an event id',
        Object.keys(notice.headers),
      );
      expectSame('the attempt', notice.headers['x-service-attempt'], '1');
    },
  ),

  test('gone', '410 Gone from the receiver removes the webhook', async (context) => {
    await using webhook = await openWebhook(context);
    webhook.receiver.answerWith(410);
    await context.control.changeStock(context.shop.id);
    await webhook.receiver.nextAfter(0);
    const late = Date.now() + REMOVED_WITHIN_MS;
    for (;;) {
      const { webhook: shown } = expectBody(await webhook.app.get('/connection'), 200, connection);
      if ((shown ?? null) === null) return;
      expect(Date.now() < late, 'webhook to become null', shown);
    }
  }),

  test('starts-at-head', 'a new webhook is not notified of earlier changes', async (context) => {
    await context.control.changeStock(context.shop.id);
    await using webhook = await openWebhook(context);
    const beganAtMs = await context.nowMs();
    await context.control.changeStock(context.shop.id);
    const { body } = await webhook.receiver.nextAfter(0);
    const occurredAt = /"occurredAt":"([^"]+)"/.exec(body)?.[1] ?? '';
    const earlyMs = beganAtMs - Date.parse(occurredAt);
    expect(earlyMs < CLOCKS_APART_MS, 'occurredAt of the later change', occurredAt);
    expectSame('the number of deliveries', webhook.receiver.notices.length, 1);
  }),
];

/** Recording the result of an attempt takes less time than this, even on a busy machine. */
const REMOVED_WITHIN_MS = 5_000;
/** The maximum difference between the clocks of the suite and the target. */
const CLOCKS_APART_MS = 60_000;
