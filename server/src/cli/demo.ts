import { systemClock } from '../base/clock.ts';
import type { DemoCredentials } from '../demo/credentials.ts';
import { openDemo } from '../demo/fill.ts';
import { issueTokens } from '../oauth/issue-tokens.ts';
import type { Service } from '../service.ts';
import { findAccountByEmail } from '../shops/account.ts';

/** Makes sure that the demo shop is there; returns what to print about it. */
export async function prepareDemo(
  { db, context, publicUrl }: Service,
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
  const issued = await issueTokens(context, {
    shopId: shop.id,
    clientId: credentials.clientId,
    accountId: account.id,
    scopes: ['purchase-boosts:read', 'inventory:read'],
  });
  const head = renderCredentials(shop.name, publicUrl, credentials);
  if (issued.kind === 'refused') return `${head}\nNo access token: ${issued.reason}.\n`;
  return `${head}\n${renderCalls(publicUrl, issued.accessToken, credentials)}`;
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
function renderCalls(publicUrl: string, accessToken: string, { shopKey }: DemoCredentials): string {
  const calls = [
    ['the connection', accessToken, '/partner/v1/connection'],
    ['sites and storage locations', accessToken, '/partner/v1/inventory/sites'],
    ['the change feed, from the beginning', accessToken, '/partner/v1/inventory/changes?limit=3'],
    ['the shop’s own side: its units', shopKey, '/shop/v1/units?limit=3'],
  ];
  const lines = calls.map(
    ([what, secret, path]) =>
      `  # ${what}\n  curl -H 'Authorization: Bearer ${secret}' '${publicUrl}${path}'\n`,
  );
  return `Try it; the access token is good for 15 minutes, and every start prints another:\n\n${lines.join('\n')}\n`;
}
