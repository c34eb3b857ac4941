import { join } from 'node:path';
import { findApp } from '../apps/app.ts';
import { statement } from '../database/statement.ts';
import { DEMO_CLERK_EMAIL, type DemoCredentials, recordDemoStep } from '../demo/credentials.ts';
import { openDemo } from '../demo/open-demo.ts';
import { type DemoPhoto, makePhotos, uploadPhoto } from '../demo/photos.ts';
import { issueTokens } from '../oauth/issue-tokens.ts';
import type { Service } from '../runtime/service.ts';
import { findAccountByEmail } from '../shops/account.ts';

const DEMO_SCOPES = ['purchase-boosts:read', 'inventory:read'] as const;

type PhotoPlace = Pick<DemoPhoto, 'unitId' | 'side'>;

export const selectPhotoOfShop = statement<PhotoPlace>(
  'select_photo_of_shop',
  `select unit_id as "unitId", photos->0->>'side' as side
     from unit where shop_id = $1 and photos <> '[]' order by unit_id limit 1`,
);

interface DemoSettings {
  readonly folder: string;
  readonly allowsLoopbackWebhooks: boolean;
}

/**
 * Creates the demo shop if it does not exist and returns the text to print about it. Uploads photos
 * through the running service, most of them after it has returned.
 */
export async function prepareDemo(
  { db, context, publicUrl, url, decoders }: Service,
  { folder, allowsLoopbackWebhooks }: DemoSettings,
  onProgress: (sentence: string) => void,
): Promise<string> {
  const demo = await openDemo(db, context.clock, folder, onProgress);
  if (demo.kind === 'no_demo') return `No demo: ${demo.reason}.\n`;
  const { shop, credentials } = demo;
  const account = await findAccountByEmail(db, credentials.email);
  if (account === undefined) {
    return `No demo: there is no account with the email ${credentials.email}.\n`;
  }
  // Drawing the photos again to know the first one would take a tenth of a start.
  const photo = credentials.done.includes('photos')
    ? await db.one(selectPhotoOfShop, [shop.id])
    : await uploadPhotos(url, decoders, { folder, credentials }, onProgress);
  const issued = await issueTokens(context, {
    shopId: shop.id,
    clientId: credentials.clientId,
    accountId: account.id,
    // With a refresh token the approval outlives the access token, so Home reports no problem.
    scopes: ['offline_access', ...DEMO_SCOPES],
  });
  const { redirectUris = [] } = (await findApp(db, credentials.clientId)) ?? {};
  const head = renderCredentials(shop.name, publicUrl, credentials, redirectUris);
  if (issued.kind === 'refused') return `${head}\nNo access token: ${issued.reason}.\n`;
  const [redirectUri] = allowsLoopbackWebhooks ? redirectUris : [];
  const hook =
    redirectUri === undefined ? '' : renderHookCall(publicUrl, issued.accessToken, redirectUri);
  const calls = renderCalls(publicUrl, issued.accessToken, credentials, photo);
  return `${head}\n${calls}${hook}${renderTokenCall(credentials)}`;
}

/** Uploads the first photo and returns it. The others follow after this function has returned. */
async function uploadPhotos(
  url: string,
  decoders: Service['decoders'],
  { folder, credentials }: { readonly folder: string; readonly credentials: DemoCredentials },
  onProgress: (sentence: string) => void,
): Promise<DemoPhoto | undefined> {
  onProgress('drawing photos');
  const [first, ...others] = makePhotos();
  const reportPhotoFailure = (error: unknown): void =>
    onProgress(`the demo's photos are not complete: ${String(error)}`);
  const upload = async (photo: DemoPhoto | undefined): Promise<void> => {
    if (photo === undefined) return;
    const jpeg = await decoders.drawJpeg(photo.svg);
    await uploadPhoto({ url, shopKey: credentials.shopKey }, photo, jpeg);
  };
  const uploadOthers = async (): Promise<void> => {
    for (const photo of others) await upload(photo);
    recordDemoStep(join(folder, 'demo.json'), credentials, 'photos');
  };
  try {
    // Upload only the photo in the text of `prepareDemo`: drawing all would double the time to start.
    await upload(first);
    uploadOthers().catch(reportPhotoFailure);
  } catch (error) {
    // The rest of the demo works without photos.
    reportPhotoFailure(error);
  }
  return first;
}

function renderCredentials(
  shopName: string,
  publicUrl: string,
  { shop, email, password, clientId, clientSecret, shopKey }: DemoCredentials,
  redirectUris: readonly string[],
): string {
  return `
The demo shop is ${shopName} (${shop}). All its data is invented.

  Start page           ${publicUrl}/
  Console for members  ${publicUrl}/console
  Partner API          ${publicUrl}/partner/v1   (reference: ${publicUrl}/docs/reference)
  Shop API             ${publicUrl}/shop/v1
  Authorization server ${publicUrl}/auth

  Member's e-mail      ${email}
  Password             ${password}      (sign in at ${publicUrl}/signin)
 Clerk's e-mail       ${DEMO_CLERK_EMAIL}, same password; cannot see apps, members or costs
  App, client id       ${clientId}
  App, client secret   ${clientSecret}
  App, redirect URIs   ${redirectUris.join('\n                       ')}
  Shop API key         ${shopKey}
`;
}

/** Renders a ready-to-run command line for each kind of read. */
function renderCalls(
  publicUrl: string,
  accessToken: string,
  { shopKey }: DemoCredentials,
  photo: PhotoPlace | undefined,
): string {
  const calls = [
    ['the connection', accessToken, '/partner/v1/connection'],
    [
      'the cards and products that the shop buys above its usual price',
      accessToken,
      '/partner/v1/purchase-boosts',
    ],
    ['sites and storage locations', accessToken, '/partner/v1/inventory/sites'],
    ['the change feed, from the beginning', accessToken, '/partner/v1/inventory/changes?limit=3'],
    [
      'cards by name, number or set: アルバ',
      accessToken,
      `/partner/v1/cards?limit=3&search=${encodeURIComponent('アルバ')}`,
    ],
    ...(photo === undefined ? [] : [photoCall(accessToken, photo)]),
    ['units, as the shop’s own systems read them', shopKey, '/shop/v1/units?limit=3'],
  ];
  const lines = calls.map(
    ([what, secret, path, more = '']) =>
      `  # ${what}\n  curl -H 'Authorization: Bearer ${secret}' '${publicUrl}${path}'${more}\n`,
  );
  return `Try it; the access token is valid for 15 minutes:\n\n${lines.join('\n')}\n`;
}

/**
 * Renders a command line that registers a webhook. Its URL is on the origin of the first redirect
 * URI, as the API requires.
 */
function renderHookCall(publicUrl: string, accessToken: string, redirectUri: string): string {
  const body = JSON.stringify({ url: `${new URL(redirectUri).origin}/hook` });
  const headers = `-H 'Authorization: Bearer ${accessToken}' -H 'Content-Type: application/json'`;
  return `  # a webhook; the response has its secret, and docs/webhooks.md shows a receiver for it
  curl -X PUT ${headers} -d '${body}' '${publicUrl}/partner/v1/webhook'\n\n`;
}

function renderTokenCall({ shop, clientId, email }: DemoCredentials): string {
  const scope = DEMO_SCOPES.join(' ');
  return `  # another access token (every start prints one too)
  npx cardport token --shop ${shop} --app ${clientId} --member ${email} --scope '${scope}'\n\n`;
}

function photoCall(accessToken: string, { unitId, side }: PhotoPlace): string[] {
  const path = `/partner/v1/inventory/items/${unitId}/photos/${side}`;
  return ['a photo of a unit, saved to a file', accessToken, path, ' -o photo.jpg'];
}
