import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectBody, expectSame } from '../expect.ts';
import { connection, webhookRegistration } from '../resources.ts';

const test = testFactory('4.11');

export const tests: readonly ConformanceTest[] = [
  test('removes', 'DELETE /webhook removes the webhook', async (context) => {
    const app = await context.connected({ app: context.spareApp });
    const registered = await app.put('/webhook', { url: context.target.webhook.acceptableUrl });
    expectBody(registered, 200, webhookRegistration);
    const removed = await app.delete('/webhook');
    expect(removed.status >= 200 && removed.status < 300, 'success', removed.status);
    const { webhook } = expectBody(await app.get('/connection'), 200, connection);
    expectSame('webhook', webhook ?? null, null);
  }),
];
