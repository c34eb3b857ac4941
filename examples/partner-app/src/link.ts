import { CardportError, openPartnerApp } from '@cardport/client';
import type { Follower, PendingAuthorization, Photo } from '@cardport/client';
import { appUrl, baseUrl, clientId, clientSecret } from './settings.ts';
import { findUnit, stock } from './stock.ts';
import { db, readFact, tokens, writeFact } from './store.ts';

/** No notice tells of boosts, so they are asked for; stock with them, should a notice be missing. */
const POLL_EVERY_MS = 10_000;

const [redirectUri, webhookUrl] = [`${appUrl.origin}/callback`, `${appUrl.origin}/webhook`];

/** This app as Cardport knows it. */
export const app = openPartnerApp({ baseUrl, clientId, clientSecret, redirectUri, tokens });
/** The shop that it is connected to. */
export const shop = app.shop();

let state: 'none' | 'fine' | 'failing' | 'ended' = 'none';
let follower: Follower | undefined;

/** How it stands with the shop. `ended`: nothing works until one of its members approves again. */
export function linkState(): typeof state {
  return state;
}

function start(): void {
  state = 'fine';
  follower = shop.follow(stock, { pollEveryMs: POLL_EVERY_MS, onSynced, onError });
}

async function onSynced(): Promise<void> {
  state = 'fine';
  writeFact('syncedAt', new Date().toISOString());
  writeFact('boosts', (await shop.boosts()).boosts);
}

function onError(error: unknown): void {
  console.error(String(error));
  state = error instanceof CardportError && error.needsApproval ? 'ended' : 'failing';
}

/** Something has changed. */
export function wake(): void {
  follower?.wake();
}

/** Reads nothing any more. */
export async function stop(): Promise<void> {
  await follower?.stop();
}

/** Takes what the browser came back with from the approval. */
export async function complete(url: string, pending: PendingAuthorization | null): Promise<void> {
  await app.completeAuthorization(url, pending);
  const { tenant } = await shop.connection();
  // Refused where this app is http and Cardport is not on one's own machine: then the board asks.
  const webhook = await shop.registerWebhook(webhookUrl).catch((error: unknown) => {
    console.error(String(error));
    return null;
  });
  await stop();
  if (readFact<typeof tenant>('shop')?.id !== tenant.id) forget();
  writeFact('shop', tenant);
  writeFact('webhookSecret', webhook?.secret ?? null);
  start();
}

/** Ends the access, and forgets all that was read. */
export async function disconnect(): Promise<void> {
  await shop.disconnect();
  await stop();
  state = 'none';
  forget();
}

function forget(): void {
  db.exec(`begin; delete from site; delete from unit; delete from photo; delete from fact
    where name in ('cursor', 'syncedAt', 'shop', 'webhookSecret', 'boosts'); commit`);
}

/** A photo of a piece for sale, or null: fetched for its first visitor, kept until it changes. */
export async function findPhoto(id: string, side: string, size: string): Promise<Kept | null> {
  const etag = findUnit('id', id)?.photos.find((photo) => photo.side === side)?.etag;
  if (etag === undefined || (size !== 'small' && size !== 'large')) return null;
  const name = `${id} ${side} ${size}`;
  const kept = db.prepare('select type, bytes from photo where name = ? and etag = ?');
  const { type, bytes } = kept.get(name, etag) ?? {};
  if (bytes instanceof Uint8Array) return { contentType: String(type), bytes };
  const photo = await shop.photo(id, side, { size });
  if (photo === 'unchanged') return null;
  const insert = db.prepare('insert or replace into photo values (?, ?, ?, ?, ?)');
  insert.run(name, id, photo.etag, photo.contentType, photo.bytes);
  return photo;
}

type Kept = Pick<Photo, 'contentType' | 'bytes'>;

// Goes on where it stood.
if (readFact('shop') !== null) start();
