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
const shop = app.shop();
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
  // Refused to whoever has approved without the permission to see them.
  writeFact('boosts', (await unless('forbidden', shop.boosts()))?.boosts ?? 'hidden');
  if (readFact('webhookSecret') !== null) return;
  // Refused where this app is http, and Cardport not on one's own machine: then the board asks.
  const webhook = await unless('invalid_webhook_url', shop.registerWebhook(webhookUrl));
  writeFact('webhookSecret', webhook?.secret ?? '');
}

/** What is answered, or null where it is refused with this code. Whatever else fails is tried again. */
async function unless<T>(code: string, answer: Promise<T>): Promise<T | null> {
  return await answer.catch((error: unknown) => {
    if (error instanceof CardportError && error.code === code) return null;
    throw error;
  });
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
  await stop();
  if (readFact<typeof tenant>('shop')?.id !== tenant.id) forget();
  writeFact('shop', tenant);
  writeFact('webhookSecret', null);
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
export async function findPhoto(id: string, side: string, size: string): Promise<Photo | null> {
  const etag = findUnit('id', id)?.photos.find((photo) => photo.side === side)?.etag;
  if (etag === undefined || (size !== 'small' && size !== 'large')) return null;
  const name = `${id} ${side} ${size}`;
  const kept = db.prepare('select type, bytes from photo where name = ? and etag = ?');
  const { type, bytes } = kept.get(name, etag) ?? {};
  if (bytes instanceof Uint8Array) return { contentType: String(type), bytes, etag };
  const photo = await shop.photo(id, side, { size });
  if (photo === 'unchanged') return null;
  const insert = db.prepare('insert or replace into photo values (?, ?, ?, ?, ?)');
  insert.run(name, id, photo.etag, photo.contentType, photo.bytes);
  return photo;
}

if (readFact('shop') !== null) start(); // Goes on where it stood.
