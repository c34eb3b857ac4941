import { CardportError, ForbiddenError, openPartnerApp } from '@cardport/client';
import type { Follower, Photo } from '@cardport/client';
import { takeBegun } from './session.ts';
import { appUrl, baseUrl, clientId, clientSecret } from './settings.ts';
import { findUnit, stock } from './stock.ts';
import { db, readFact, tokens, writeFact } from './store.ts';

/** Boosts are polled, because no notice announces them; stock too, in case a notice was lost. */
const POLL_EVERY_MS = 10_000;
/** How long to wait for a photo, and how long to wait after a failure. */
const [PHOTO_MS_MAX, PHOTO_AGAIN_MS] = [5_000, 60_000];
/** Photos in the cache; a small one has about 20 kB. */
const PHOTOS_MAX = 500;
const photos = new Map<string, Promise<Photo | 'unchanged'>>();

const [redirectUri, webhookUrl] = [`${appUrl.origin}/callback`, `${appUrl.origin}/webhook`];

/** This app as Cardport knows it. */
export const app = openPartnerApp({ baseUrl, clientId, clientSecret, redirectUri, tokens });
const shop = app.shop();
/** Reads the shop while it is connected. */
export const link: { follower?: Follower } = {};

function start(): void {
  link.follower = shop.follow(stock, { pollEveryMs: POLL_EVERY_MS, onSynced, onError });
}

async function onSynced(): Promise<void> {
  writeFact('syncedAt', new Date().toISOString());
  const answer = await shop.boosts().catch((error: unknown) => {
    // The approving member cannot see what the shop buys: show the stock anyway.
    if (error instanceof ForbiddenError) return { boosts: 'hidden' };
    throw error;
  });
  writeFact('boosts', answer.boosts);
  writeFact('state', 'fine');
  if (readFact('webhookSecret') !== null) return;
  // Refused if this app uses http and Cardport is on another machine: polling is enough.
  const webhook = await shop.registerWebhook(webhookUrl).catch((error: unknown) => {
    console.error(`No notices for now: ${String(error)}`);
  });
  if (webhook) writeFact('webhookSecret', webhook.secret);
}

function onError(error: unknown): void {
  console.error(String(error));
  // Nothing works until a member who may see the shop's stock approves again.
  const isOver = error instanceof CardportError && error.needsApproval;
  writeFact('state', isOver || error instanceof ForbiddenError ? 'ended' : 'failing');
}

/** Handles the redirect that ends the approval. */
export async function complete(url: string, browser: string): Promise<void> {
  const { tenant } = (await app.completeAuthorization(url, takeBegun(browser))).connection;
  await link.follower?.stop();
  forget(); // Another member may see other things of it.
  writeFact('shop', tenant);
  writeFact('manager', browser);
  start();
}

/** Ends the access, if it has not ended yet, and deletes everything that was read. */
export async function disconnect(): Promise<void> {
  if (readFact('state') !== 'ended') await shop.disconnect();
  await link.follower?.stop();
  await tokens.remove('default');
  forget();
}

function forget(): void {
  db.exec("delete from site; delete from unit; delete from fact where name <> 'tokens default'");
  photos.clear();
}

/** A photo by unit, side and size, fetched for its first visitor; `unchanged` if there is none. */
export async function findPhoto(path: string): Promise<Photo | 'unchanged'> {
  const [id = '', side = '', size] = path.split('/');
  const etag = findUnit('id', id)?.photos.find((photo) => photo.side === side)?.etag;
  if (etag === undefined || (size !== 'small' && size !== 'large')) return 'unchanged';
  const name = [id, side, size, etag].join(' ');
  const known = photos.get(name);
  if (known !== undefined) return await known;
  const signal = AbortSignal.timeout(PHOTO_MS_MAX);
  const photo = shop.photo(id, side, { size, signal }).catch(() => {
    setTimeout(() => photos.delete(name), PHOTO_AGAIN_MS).unref();
    return 'unchanged' as const;
  });
  const [oldest = ''] = photos.set(name, photo).keys();
  if (photos.size > PHOTOS_MAX) photos.delete(oldest);
  return await photo;
}

if (readFact('shop') !== null) start(); // Goes on where it stood.
