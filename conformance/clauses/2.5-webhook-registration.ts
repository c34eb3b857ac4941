import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectBody, expectSame } from '../expect.ts';
import { webhookRegistration } from '../resources.ts';

const test = testFactory('2.5');

export const tests: readonly ConformanceTest[] = [
  test('fields', 'the registration has url, secret (whsec_…) and createdAt', async (context) => {
    const app = await context.connected({ app: context.spareApp });
    const { acceptableUrl } = context.target.webhook;
    const registered = await app.put('/webhook', { url: acceptableUrl });
    const { url, createdAt } = expectBody(registered, 200, webhookRegistration);
    expectSame('url', url, acceptableUrl);
    const apartMs = Math.abs(Date.parse(createdAt) - (await context.nowMs()));
    expect(
      apartMs < CLOCKS_APART_MS,
      'createdAt to be within a minute of the current time',
      createdAt,
    );
    await app.delete('/webhook');
  }),
];

/** The maximum difference between the clocks of the suite and the target. */
const CLOCKS_APART_MS = 60_000;
