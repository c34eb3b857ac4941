import type { Caller } from './caller.ts';
import type { Context } from './context.ts';
import { expectBody } from './expect.ts';
import { headOf } from './feed.ts';
import { connection, webhookRegistration } from './resources.ts';
import type { ReceivedNotice, Receiver } from './receiver.ts';

/** A webhook that leads to the suite's receiver. */
export interface OpenWebhook extends AsyncDisposable {
  readonly app: Caller;
  readonly receiver: Receiver;
  readonly secret: string;
  readonly connectionId: string;
}

/** Registers the suite's receiver for the main app of the first shop, until it is disposed of. */
export async function openWebhook(context: Context): Promise<OpenWebhook> {
  const app = await context.kept();
  const receiver = await context.receiver();
  try {
    const registered = await app.put('/webhook', { url: receiver.url });
    const { secret } = expectBody(registered, 200, webhookRegistration);
    const { id } = expectBody(await app.get('/connection'), 200, connection);
    return {
      app,
      receiver,
      secret,
      connectionId: id,
      [Symbol.asyncDispose]: async () => {
        await app.delete('/webhook');
        await receiver.close();
      },
    };
  } catch (error) {
    await receiver.close();
    throw error;
  }
}

/** A notice with what it is compared with. */
export interface TakenNotice {
  readonly notice: ReceivedNotice;
  readonly secret: string;
  readonly connectionId: string;
  /** The head of the feed before the change that it tells of, and the object that changed. */
  readonly cursorBefore: string;
  readonly changedId: string;
}

const taken = new WeakMap<Context, Promise<TakenNotice>>();

/** The notice of one change, made once for a run: the tests that only look at it share it. */
export async function takeNotice(context: Context): Promise<TakenNotice> {
  const known = taken.get(context) ?? makeNotice(context);
  taken.set(context, known);
  return await known;
}

async function makeNotice(context: Context): Promise<TakenNotice> {
  await using webhook = await openWebhook(context);
  const { app, receiver, secret, connectionId } = webhook;
  const cursorBefore = await headOf(app);
  const changedId = await context.control.changeStock(context.shop.id);
  const notice = await receiver.nextAfter(0);
  return { notice, secret, connectionId, cursorBefore, changedId };
}
