import type { Caller } from '../caller.ts';
import type { Context } from '../context.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectBody, expectError, expectSame, expectStatus, NotRun } from '../expect.ts';
import { connection, webhookRegistration } from '../resources.ts';

const test = testFactory('4.10');

async function expectRefused(app: Caller, urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    expectError(await app.put('/webhook', { url }), 422, 'invalid_webhook_url');
  }
  const { webhook } = expectBody(await app.get('/connection'), 200, connection);
  expectSame('the webhook after refusals', webhook ?? null, null);
}

/** Strings that are not absolute URLs. */
const INVALID_URLS = ['', 'hook', '/hook', 'https://', 'https:///hook'];

async function withoutWebhook(context: Context): Promise<Caller> {
  const app = await context.connected({ app: context.spareApp });
  await app.delete('/webhook');
  return app;
}

export const tests: readonly ConformanceTest[] = [
  test(
    'registers',
    'PUT /webhook registers the URL: 200, and GET /connection shows it',
    async (context) => {
      const app = await withoutWebhook(context);
      const { acceptableUrl } = context.target.webhook;
      const registered = await app.put('/webhook', { url: acceptableUrl });
      const { url } = expectBody(registered, 200, webhookRegistration);
      const { webhook } = expectBody(await app.get('/connection'), 200, connection);
      expectSame('webhook of the connection', webhook?.url, url);
      await app.delete('/webhook');
    },
  ),

  test('https', 'rule 1: a URL that is not https gets 422 invalid_webhook_url', async (context) => {
    const app = await withoutWebhook(context);
    const { acceptableUrl } = context.target.webhook;
    const others = ['http:', 'ftp:', 'ws:', 'wss:'].map((protocol) =>
      acceptableUrl.replace('https:', protocol),
    );
    await expectRefused(app, others);
  }),

  test(
    'https-loopback',
    'rule 1: an http URL with the origin of an http redirect URI is refused too',
    async (context) => {
      const { receiverUrl, loopbackRedirectUri } = context.target.webhook;
      if (receiverUrl !== null || loopbackRedirectUri === null) {
        throw new NotRun(
          'the target delivers events to loopback over http, or no app has an http redirect URI',
        );
      }
      const app = await withoutWebhook(context);
      await expectRefused(app, [new URL('/hook', loopbackRedirectUri).href]);
    },
  ),

  test(
    'origin',
    'rule 2: a URL whose origin is not the origin of a redirect URI gets 422 invalid_webhook_url',
    async (context) => {
      const app = await withoutWebhook(context);
      const { hostname, pathname } = new URL(context.target.webhook.acceptableUrl);
      await expectRefused(app, [
        `https://other.example${pathname}`,
        `https://${hostname}.other.example${pathname}`,
        `https://sub.${hostname}${pathname}`,
        `https://${hostname}:8443${pathname}`,
        `https://other${hostname}${pathname}`,
      ]);
    },
  ),

  test(
    'other-app',
    'rule 2: the origin of another app’s redirect URI is refused',
    async (context) => {
      const app = await withoutWebhook(context);
      const { origin } = new URL(context.otherShop.apps.main.redirectUri);
      const own = Object.values(context.shop.apps).flatMap((each) => each?.redirectUri ?? []);
      if (own.some((uri) => new URL(uri).origin === origin)) {
        throw new NotRun('the apps of the two shops have redirect URIs with the same origin');
      }
      await expectRefused(app, [`${origin}/hook`]);
    },
  ),

  test(
    'same-origin',
    'rule 2: an explicit default port and an upper-case host do not change the origin',
    async (context) => {
      const app = await withoutWebhook(context);
      const { hostname } = new URL(context.target.webhook.acceptableUrl);
      for (const host of [`${hostname}:443`, hostname.toUpperCase()]) {
        expectBody(
          await app.put('/webhook', { url: `https://${host}/hook` }),
          200,
          webhookRegistration,
        );
      }
      await app.delete('/webhook');
    },
  ),

  test('any-path', 'rule 2: any path and query of the origin is accepted', async (context) => {
    const app = await withoutWebhook(context);
    const { origin } = new URL(context.target.webhook.acceptableUrl);
    for (const url of [`${origin}/`, `${origin}/a/b-c?d=1&e=f`]) {
      expectBody(await app.put('/webhook', { url }), 200, webhookRegistration);
    }
    await app.delete('/webhook');
  }),

  test('new-secret', 'rule 3: every call returns a new signing secret', async (context) => {
    const app = await withoutWebhook(context);
    const body = { url: context.target.webhook.acceptableUrl };
    const secrets = new Set<string>();
    for (let count = 0; count < 3; count++) {
      secrets.add(expectBody(await app.put('/webhook', body), 200, webhookRegistration).secret);
    }
    expectSame('the number of different secrets in three calls', secrets.size, 3);
    await app.delete('/webhook');
  }),

  test(
    'secret-only-here',
    'no response except that of PUT /webhook contains the secret',
    async (context) => {
      const app = await withoutWebhook(context);
      const registered = await app.put('/webhook', { url: context.target.webhook.acceptableUrl });
      const { secret } = expectBody(registered, 200, webhookRegistration);
      for (const response of [await app.get('/connection'), await app.post('/connection')]) {
        expect(!response.text.includes(secret), 'no secret in any other response', 'the secret');
      }
      await app.delete('/webhook');
    },
  ),

  test('no-url', 'a url that is not an absolute URL is refused', async (context) => {
    const app = await withoutWebhook(context);
    for (const url of INVALID_URLS) expectStatus(await app.put('/webhook', { url }), 400, 422);
    const { webhook } = expectBody(await app.get('/connection'), 200, connection);
    expectSame('the webhook after refusals', webhook ?? null, null);
  }),
];
