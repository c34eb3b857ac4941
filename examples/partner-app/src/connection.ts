import { CardportError, ForbiddenError, openPartnerApp } from '@cardport/client';
import type { Follower, Photo } from '@cardport/client';
import { takePending } from './session.ts';
import { appUrl, baseUrl, clientId, clientSecret } from './settings.ts';
import { findUnit, stock } from './stock.ts';
import { db, readFact, tokens, writeFact } from './store.ts';

/** Boosts are polled, because no notice announces them; stock too, in case a notice was lost. */
const POLL_EVERY_MS = 10_000;
/** The time limit for a photo, and how long a failed photo is not requested again. */
const [PHOTO_MS_MAX, PHOTO_RETRY_MS] = [5_000, 60_000];
/** The maximum number of cached photos; a small one has about 20 kB. */
const PHOTOS_MAX = 500;
const photos = new Map<string, Promise<Photo | 'unchanged'>>();

const [redirectUri, webhookUrl] = [`${appUrl.origin}/callback`, `${appUrl.origin}/webhook`];

export const app = openPartnerApp({ baseUrl, clientId, clientSecret, redirectUri, tokens });
const shop = app.shop();
/** Has the follower, which keeps the stock up to date while a shop is connected. */
export const sync: { follower?: Follower } = {};

function start(): void {
  sync.follower = shop.follow(stock, { pollEveryMs: POLL_EVERY_MS, onSynced, onError });
}

async function onSynced(): Promise<void> {
  writeFact('syncedAt', new Date().toISOString());
  const answer = await shop.boosts().catch((error: unknown) => {
    // The approving member may not see boosts: show the stock anyway.
    if (error instanceof ForbiddenError) return { boosts: 'hidden' };
    throw error;
  });
  writeFact('boosts', answer.boosts);
  // A boost's card has no variant and finish, so read each card once from the catalog.
  for (const { target } of typeof answer.boosts === 'string' ? [] : answer.boosts) {
    const id = target.kind === 'card' ? target.card.id : null;
    if (id !== null && readFact(`card ${id}`) === null) {
      writeFact(`card ${id}`, await shop.card(id));
    }
  }
  writeFact('state', 'fine');
  if (readFact('webhookSecret') !== null) return;
  // Refused if this app uses http and Cardport is on another machine. Polling is enough then.
  const webhook = await shop.registerWebhook(webhookUrl).catch((error: unknown) => {
    console.error(`Polling only, because there is no webhook: ${String(error)}`);
  });
  if (webhook) writeFact('webhookSecret', webhook.secret);
}

function onError(error: unknown): void {
  console.error(String(error));
  // Nothing works until a member who may see the shop's stock approves again.
  const isOver = error instanceof CardportError && error.needsApproval;
  writeFact('state', isOver || error instanceof ForbiddenError ? 'ended' : 'failing');
}

export async function complete(url: string, browser: string): Promise<void> {
  const { tenant } = (await app.completeAuthorization(url, takePending(browser))).connection;
  await sync.follower?.stop();
  forget(); // Another member may see other data.
  writeFact('shop', tenant);
  writeFact('manager', browser);
  start();
}

/** Ends the connection, if it has not ended yet, and deletes the shop's data. */
export async function disconnect(): Promise<void> {
  if (readFact('state') !== 'ended') await shop.disconnect();
  await sync.follower?.stop();
  await tokens.remove('default');
  forget();
}

function forget(): void {
  db.exec("delete from site; delete from unit; delete from fact where name <> 'tokens default'");
  photos.clear();
}

/** Returns a photo by unit, side and size, and caches it. Returns `unchanged` if there is none. */
export async function findPhoto(path: string): Promise<Photo | 'unchanged'> {
  const [id = '', side = '', size] = path.split('/');
  const etag = findUnit('id', id)?.photos.find((photo) => photo.side === side)?.etag;
  if (etag === undefined || (size !== 'small' && size !== 'large')) return 'unchanged';
  const name = [id, side, size, etag].join(' ');
  const known = photos.get(name);
  if (known !== undefined) return await known;
  const signal = AbortSignal.timeout(PHOTO_MS_MAX);
  const photo = shop.photo(id, side, { size, signal }).catch(() => {
    setTimeout(() => photos.delete(name), PHOTO_RETRY_MS).unref();
    return 'unchanged' as const;
  });
  const [oldest = ''] = photos.set(name, photo).keys();
  if (photos.size > PHOTOS_MAX) photos.delete(oldest);
  return await photo;
}

if (readFact('shop') !== null) start(); // Continues after a restart.
