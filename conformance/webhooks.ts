import type { Caller } from './caller.ts';
import type { Context } from './context.ts';
import { expectBody } from './expect.ts';
import { connection, webhookRegistration } from './resources.ts';
import type { ReceivedNotice, Receiver } from './receiver.ts';

/** A webhook registered for the suite's receiver. */
export interface OpenWebhook extends AsyncDisposable {
  readonly app: Caller;
  readonly receiver: Receiver;
  readonly secret: string;
  readonly connectionId: string;
}

/**
 * Registers the suite's receiver for the spare app of the first shop. Disposing ends the
 * connection between app and shop. The next webhook then belongs to a new connection, whose first
 * notice is not delayed by the pause between two notices of one connection.
 */
export async function openWebhook(context: Context): Promise<OpenWebhook> {
  const receiver = await context.receiver();
  try {
    const app = await context.connected({ app: context.spareApp });
    const registered = await app.put('/webhook', { url: receiver.url });
    const { secret } = expectBody(registered, 200, webhookRegistration);
    const { id } = expectBody(await app.get('/connection'), 200, connection);
    return {
      app,
      receiver,
      secret,
      connectionId: id,
      [Symbol.asyncDispose]: async () => {
        await app.delete('/connection');
        await receiver.close();
      },
    };
  } catch (error) {
    await receiver.close();
    throw error;
  }
}

/** A received notice, and the values that tests compare it with. */
export interface SharedNotice {
  readonly notice: ReceivedNotice;
  readonly secret: string;
  readonly connectionId: string;
  /** The id of the changed object. */
  readonly changedId: string;
}

const sharedNotices = new WeakMap<Context, Promise<SharedNotice>>();

/**
 * Returns the notice of one change. It is received once per run and shared by tests that only
 * inspect it.
 */
export async function getSharedNotice(context: Context): Promise<SharedNotice> {
  const known = sharedNotices.get(context) ?? receiveNotice(context);
  sharedNotices.set(context, known);
  return await known;
}

async function receiveNotice(context: Context): Promise<SharedNotice> {
  await using webhook = await openWebhook(context);
  const { receiver, secret, connectionId } = webhook;
  const changedId = await context.control.changeStock(context.shop.id);
  const notice = await receiver.nextAfter(0);
  return { notice, secret, connectionId, changedId };
}
