import { CardportError, ForbiddenError, openPartnerApp } from '@cardport/client';
import type { Follower, Photo } from '@cardport/client';
import { takeBegun } from './session.ts';
import { appUrl, baseUrl, clientId, clientSecret } from './settings.ts';
import { findUnit, stock } from './stock.ts';
import { db, readFact, tokens, writeFact } from './store.ts';

/** No notice tells of boosts, so they are asked for; stock with them, for lost notices. */
const POLL_EVERY_MS = 10_000;
/** A photo is waited for so long, and asked for again so long after it has failed. */
const [PHOTO_MS_MAX, PHOTO_AGAIN_MS] = [5_000, 60_000];
/** Photos that are kept; a small one has some 20 kB. */
const PHOTOS_MAX = 500;
const photos = new Map<string, Promise<Photo | 'unchanged'>>();

const [redirectUri, webhookUrl] = [`${appUrl.origin}/callback`, `${appUrl.origin}/webhook`];

/** This app as Cardport knows it. */
export const app = openPartnerApp({ baseUrl, clientId, clientSecret, redirectUri, tokens });
const shop = app.shop();
/** What reads the shop, while there is one. */
export const link: { follower?: Follower } = {};

function start(): void {
  link.follower = shop.follow(stock, { pollEveryMs: POLL_EVERY_MS, onSynced, onError });
}

async function onSynced(): Promise<void> {
  writeFact('syncedAt', new Date().toISOString());
  const answer = await shop.boosts().catch((error: unknown) => {
    // The member who has approved may not see what the shop buys: the stock is shown all the same.
    if (error instanceof ForbiddenError) return { boosts: 'hidden' };
    throw error;
  });
  writeFact('boosts', answer.boosts);
  writeFact('state', 'fine');
  if (readFact('webhookSecret') !== null) return;
  // Refused where this app is http and Cardport not on one's own machine: then the polls do.
  const webhook = await shop.registerWebhook(webhookUrl).catch((error: unknown) => {
    console.error(`No notices for now: ${String(error)}`);
  });
  if (webhook) writeFact('webhookSecret', webhook.secret);
}

function onError(error: unknown): void {
  console.error(String(error));
  // Nothing works until a member of the shop who may see its stock approves again.
  const isOver = error instanceof CardportError && error.needsApproval;
  writeFact('state', isOver || error instanceof ForbiddenError ? 'ended' : 'failing');
}

/** Takes what the browser came back with from the approval. */
export async function complete(url: string, browser: string): Promise<void> {
  const { tenant } = (await app.completeAuthorization(url, takeBegun(browser))).connection;
  await link.follower?.stop();
  forget(); // Another member may see other things of it.
  writeFact('shop', tenant);
  writeFact('manager', browser);
  start();
}

/** Ends the access, if it has not ended yet, and forgets all that was read. */
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

/** A photo by unit, side and size, fetched for its first visitor; `unchanged` where there is none. */
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
