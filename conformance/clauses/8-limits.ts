import { type ConformanceTest, testFactory } from '../definition.ts';
import { expectBody, expectSame } from '../expect.ts';
import { openWebhook } from '../webhooks.ts';
import { connection, webhookRegistration } from '../resources.ts';

const test = testFactory('8');

export const tests: readonly ConformanceTest[] = [
  test(
    'one-webhook',
    'a connection has one webhook, which another PUT replaces',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      const { acceptableUrl } = context.target.webhook;
      for (const url of [acceptableUrl, `${acceptableUrl}/second`]) {
        expectBody(await app.put('/webhook', { url }), 200, webhookRegistration);
      }
      const { webhook } = expectBody(await app.get('/connection'), 200, connection);
      expectSame('the webhook', webhook?.url, `${acceptableUrl}/second`);
      await app.delete('/webhook');
    },
  ),

  test('one-webhook-told', 'a replaced webhook receives no more events', async (context) => {
    await using webhook = await openWebhook(context);
    const second = `${webhook.receiver.url}/second`;
    expectBody(await webhook.app.put('/webhook', { url: second }), 200, webhookRegistration);
    await context.control.changeStock(context.shop.id);
    await webhook.receiver.nextAfter(0);
    const paths = webhook.receiver.notices.map(({ path }) => path);
    expectSame('the deliveries', paths, [new URL(second).pathname]);
  }),
];
