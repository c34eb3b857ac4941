import { headerOf } from '../response.ts';
import type { Context } from '../context.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import {
  expect,
  expectBody,
  expectSame,
  expectShape,
  expectStatus,
  RuleViolation,
} from '../expect.ts';
import { headOf, idsOfPages, readPages } from '../feed.ts';
import { openWebhook, getSharedNotice, type SharedNotice } from '../webhooks.ts';
import { type ReceivedNotice, signatureOf } from '../receiver.ts';
import { notice as noticeShape, webhookRegistration } from '../resources.ts';
import type { ShapeValue } from '../shape.ts';

const test = testFactory('6');

/** A receiver rejects a notice if its timestamp differs from the clock by this much or more. */
const TOLERANCE_SECONDS = 300;

function bodyOf({ notice }: Pick<SharedNotice, 'notice'>): ShapeValue<typeof noticeShape> {
  let value: unknown;
  try {
    value = JSON.parse(notice.body);
  } catch {
    throw new RuleViolation(`expected the event to be JSON, but got ${notice.body.slice(0, 200)}`);
  }
  return expectShape('the event', value, noticeShape);
}

/** Returns the timestamp and the signature from the headers that this target uses. */
function headersOf(
  context: Context,
  notice: ReceivedNotice,
): { readonly timestamp: string; readonly signature: string } {
  const { timestampHeader, signatureHeader } = context.target.names;
  const timestamp = notice.headers[timestampHeader.toLowerCase()];
  const signature = notice.headers[signatureHeader.toLowerCase()];
  expect(timestamp !== undefined, `the header ${timestampHeader}`, Object.keys(notice.headers));
  expect(signature !== undefined, `the header ${signatureHeader}`, Object.keys(notice.headers));
  return { timestamp, signature };
}

/**
 * Returns seconds since the Unix epoch. The specification does not show the format, so all usual
 * formats are accepted.
 */
function secondsOf(timestamp: string): number {
  if (!/^\d+$/.test(timestamp)) return Date.parse(timestamp) / 1_000;
  return Number(timestamp) > SECONDS_MAX ? Number(timestamp) / 1_000 : Number(timestamp);
}

/** Larger numbers are milliseconds: as seconds they would be after the year 5138. */
const SECONDS_MAX = 100_000_000_000;

export const tests: readonly ConformanceTest[] = [
  test(
    'post',
    'an event is an HTTP POST to the registered url, with a JSON body',
    async (context) => {
      const { notice } = await getSharedNotice(context);
      expectSame('the method', notice.method, 'POST');
      const registered = new URL(context.target.webhook.receiverUrl ?? '');
      expectSame('the path', notice.path, `${registered.pathname}${registered.search}`);
      expect(
        (notice.headers['content-type'] ?? '').startsWith('application/json'),
        'the content type application/json',
        notice.headers['content-type'],
      );
    },
  ),

  test(
    'body',
    'the body has type inventory.changed, tenantId, connectionId, occurredAt',
    async (context) => {
      bodyOf(await getSharedNotice(context));
    },
  ),

  test(
    'whose',
    'tenantId is the id of the shop, and connectionId is the id of the connection',
    async (context) => {
      const taken = await getSharedNotice(context);
      const { tenantId, connectionId } = bodyOf(taken);
      expectSame('tenantId', tenantId, context.shop.id);
      expectSame('connectionId', connectionId, taken.connectionId);
    },
  ),

  test('occurred-at', 'occurredAt is the time of the change', async (context) => {
    const taken = await getSharedNotice(context);
    const receivedAtMs = await context.targetMs(taken.notice.receivedAtMs);
    const apartMs = Math.abs(Date.parse(bodyOf(taken).occurredAt) - receivedAtMs);
    expect(
      apartMs < CLOCKS_APART_MS,
      'occurredAt to be within a minute of the current time',
      bodyOf(taken).occurredAt,
    );
  }),

  test('no-stock-data', 'the body has only the four fields, and no stock data', async (context) => {
    const taken = await getSharedNotice(context);
    expectShape('the event', JSON.parse(taken.notice.body), noticeShape, true);
    expect(
      !taken.notice.body.includes(taken.changedId),
      'no id of a changed object',
      taken.changedId,
    );
  }),

  test(
    'signature',
    'the signature is v1= and the hexadecimal HMAC-SHA256 of timestamp, dot and raw body',
    async (context) => {
      const { notice, secret } = await getSharedNotice(context);
      const { timestamp, signature } = headersOf(context, notice);
      expect(/^v1=[0-9a-f]{64}$/i.test(signature), 'v1= and 64 hexadecimal digits', signature);
      expectSame(
        'the signature',
        signature.toLowerCase(),
        `v1=${signatureOf(secret, timestamp, notice.body)}`,
      );
    },
  ),

  test(
    'timestamp',
    'the timestamp of a delivery is less than 300 seconds from the clock',
    async (context) => {
      const { notice } = await getSharedNotice(context);
      const { timestamp } = headersOf(context, notice);
      const receivedAtMs = await context.targetMs(notice.receivedAtMs);
      const apart = Math.abs(secondsOf(timestamp) - receivedAtMs / 1000);
      expect(
        apart < TOLERANCE_SECONDS,
        'a timestamp less than 300 seconds from the clock',
        timestamp,
      );
    },
  ),

  test('then-read', 'the change is already in the feed when the event arrives', async (context) => {
    await using webhook = await openWebhook(context);
    const cursor = await headOf(webhook.app);
    const changedId = await context.control.changeStock(context.shop.id);
    await webhook.receiver.nextAfter(0);
    const ids = idsOfPages(await readPages(context, webhook.app, { cursor }));
    expect(ids.includes(changedId), 'the change in the feed', ids);
  }),

  test(
    'every-kind',
    'the app is notified of changes to units, locations and sites',
    async (context) => {
      // A service may delay the second notice of a webhook, so `site` gets a new webhook.
      for (const kinds of [['unit', 'location'], ['site']] as const) {
        await using webhook = await openWebhook(context);
        for (const kind of kinds) {
          const cursor = await headOf(webhook.app);
          const count = webhook.receiver.notices.length;
          const id = await context.control.changeStock(context.shop.id, kind);
          await webhook.receiver.nextAfter(count);
          const ids = idsOfPages(await readPages(context, webhook.app, { cursor }));
          expect(ids.includes(id), `the change of a ${kind}`, ids);
        }
      }
    },
  ),

  test(
    'newest-secret',
    'after another PUT, events are signed with the new secret and go to the new url',
    async (context) => {
      await using webhook = await openWebhook(context);
      const url = `${webhook.receiver.url}/second`;
      const { secret } = expectBody(
        await webhook.app.put('/webhook', { url }),
        200,
        webhookRegistration,
      );
      await context.control.changeStock(context.shop.id);
      const notice = await webhook.receiver.nextAfter(0);
      const { timestamp, signature } = headersOf(context, notice);
      expectSame(
        'the signature',
        signature.toLowerCase(),
        `v1=${signatureOf(secret, timestamp, notice.body)}`,
      );
      expectSame('the path', notice.path, new URL(url).pathname);
    },
  ),

  test('none-after-delete', 'after DELETE /webhook, no event is sent', async (context) => {
    await using webhook = await openWebhook(context);
    const removed = await webhook.app.delete('/webhook');
    expect(removed.status < 300, 'success', headerOf(removed, 'content-type'));
    await context.control.changeStock(context.shop.id);
    // When this later notice has arrived, an earlier one would have arrived too.
    expectStatus(await webhook.app.put('/webhook', { url: `${webhook.receiver.url}/later` }), 200);
    await context.control.changeStock(context.shop.id);
    await webhook.receiver.nextAfter(0);
    const paths = webhook.receiver.notices.map(({ path }) => path);
    expectSame('the deliveries', paths, [`${new URL(webhook.receiver.url).pathname}/later`]);
  }),

  test('other-shop', 'the app is not notified of a change in another shop', async (context) => {
    await using webhook = await openWebhook(context);
    await context.control.changeStock(context.otherShop.id);
    await context.control.changeStock(context.shop.id);
    const { body } = await webhook.receiver.nextAfter(0);
    expect(body.includes(context.shop.id), 'the event of this shop', body);
    expectSame('the number of deliveries', webhook.receiver.notices.length, 1);
  }),
];

/** The maximum difference between the clocks of the suite and the target. */
const CLOCKS_APART_MS = 60_000;
