import { join } from 'node:path';
import { systemClock } from '../base/clock.ts';
import { type DemoCredentials, noteDemoStep } from '../demo/credentials.ts';
import { openDemo } from '../demo/fill.ts';
import { type DemoPhoto, developPhoto, makePhotos } from '../demo/photos.ts';
import { issueTokens } from '../oauth/issue-tokens.ts';
import type { Service } from '../service.ts';
import { findAccountByEmail } from '../shops/account.ts';

/** Longest that one photo's upload may take; it takes a tenth of a second. */
const UPLOAD_MS_MAX = 30_000;

/** Makes sure that the demo shop is there; returns what to print about it. Its photos follow beside the first requests. */
export async function prepareDemo(
  { db, context, publicUrl, url }: Service,
  folder: string,
  tell: (sentence: string) => void,
): Promise<string> {
  const demo = await openDemo(db, systemClock, folder, tell);
  if (demo.kind === 'no_demo') return `No demo: ${demo.reason}.\n`;
  const { shop, credentials } = demo;
  const account = await findAccountByEmail(db, credentials.email);
  if (account === undefined) {
    return `No demo: nobody has the e-mail ${credentials.email} any more.\n`;
  }
  const [first, ...others] = makePhotos();
  if (first !== undefined && !credentials.done.includes('photos')) {
    tell('drawing photos');
    const lament = (error: unknown): void =>
      tell(`the demo's photos are not complete yet: ${String(error)}`);
    try {
      // The one that is shown below; drawing all would make the first start twice as long.
      await upload(url, credentials, first);
      uploadAll(url, credentials, others)
        .then(() => noteDemoStep(join(folder, 'demo.json'), credentials, 'photos'))
        .catch(lament);
    } catch (error) {
      // All the rest of the demo can be tried without a photo.
      lament(error);
    }
  }
  const issued = await issueTokens(context, {
    shopId: shop.id,
    clientId: credentials.clientId,
    accountId: account.id,
    scopes: ['purchase-boosts:read', 'inventory:read'],
  });
  const head = renderCredentials(shop.name, publicUrl, credentials);
  if (issued.kind === 'refused') return `${head}\nNo access token: ${issued.reason}.\n`;
  return `${head}\n${renderCalls(publicUrl, issued.accessToken, credentials, first)}`;
}

async function uploadAll(
  url: string,
  credentials: DemoCredentials,
  photos: readonly DemoPhoto[],
): Promise<void> {
  for (const photo of photos) await upload(url, credentials, photo);
}

/** Uploads a photo as the shop's till would: through the Shop API. */
async function upload(url: string, { shopKey }: DemoCredentials, photo: DemoPhoto): Promise<void> {
  const path = `/shop/v1/units/${photo.unitId}/photos/${photo.side}`;
  const response = await fetch(`${url}${path}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${shopKey}`, 'content-type': 'image/png' },
    body: await developPhoto(photo),
    signal: AbortSignal.timeout(UPLOAD_MS_MAX),
  });
  if (!response.ok) throw new Error(`PUT ${path}: ${response.status} ${await response.text()}`);
}

function renderCredentials(
  shopName: string,
  publicUrl: string,
  { shop, email, password, clientId, clientSecret, shopKey }: DemoCredentials,
): string {
  return `
The demo shop is ${shopName} (${shop}). All of it is invented.

  Start page           ${publicUrl}/
  Partner API          ${publicUrl}/partner/v1   (reference: ${publicUrl}/docs/reference)
  Shop API             ${publicUrl}/shop/v1
  Authorization server ${publicUrl}/auth

  Member's e-mail      ${email}
  Password             ${password}      (sign in at ${publicUrl}/signin)
  App, client id       ${clientId}
  App, client secret   ${clientSecret}
  App, redirect URI    http://127.0.0.1:8090/callback
  Shop API key         ${shopKey}
`;
}

/** One ready line for each kind of read. */
function renderCalls(
  publicUrl: string,
  accessToken: string,
  { shopKey }: DemoCredentials,
  photo: DemoPhoto | undefined,
): string {
  const calls = [
    ['the connection', accessToken, '/partner/v1/connection'],
    ['what the shop buys above its usual price', accessToken, '/partner/v1/purchase-boosts'],
    ['sites and storage locations', accessToken, '/partner/v1/inventory/sites'],
    ['the change feed, from the beginning', accessToken, '/partner/v1/inventory/changes?limit=3'],
    [
      'cards by name, number or set: アルバ',
      accessToken,
      `/partner/v1/cards?limit=3&search=${encodeURIComponent('アルバ')}`,
    ],
    ...(photo === undefined ? [] : [photoCall(accessToken, photo)]),
    ['the shop’s own side: its units', shopKey, '/shop/v1/units?limit=3'],
  ];
  const lines = calls.map(
    ([what, secret, path, more = '']) =>
      `  # ${what}\n  curl -H 'Authorization: Bearer ${secret}' '${publicUrl}${path}'${more}\n`,
  );
  return `Try it; the access token is good for 15 minutes, and every start prints another:\n\n${lines.join('\n')}\n`;
}

function photoCall(accessToken: string, { unitId, side }: DemoPhoto): string[] {
  const path = `/partner/v1/inventory/items/${unitId}/photos/${side}`;
  return ['a photo of a unit, into a file', accessToken, path, ' -o photo.jpg'];
}
