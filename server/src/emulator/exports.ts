import { addressesOf } from '../oauth/addresses.ts';
import type { Emulation } from './emulation.ts';
import type { EmulatedApp } from './credentials.ts';

/** Returns the environment variables that a partner's program needs for an app. */
export function environmentOf(
  { publicUrl, redirectUris }: Pick<Emulation, 'publicUrl' | 'redirectUris'>,
  { shop, app }: EmulatedApp,
): Record<string, string> {
  const { issuer, resource } = addressesOf(publicUrl);
  return {
    CARDPORT_URL: publicUrl,
    BASE_URL: resource,
    AUTH_URL: issuer,
    CLIENT_ID: app.clientId,
    CLIENT_SECRET: app.clientSecret,
    REDIRECT_URI: redirectUris[0] ?? '',
    SHOP_KEY: shop.shopKey,
  };
}

/** Renders `export` commands for a shell. Quotes in values are escaped. */
export function renderExports(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'\n`)
    .join('');
}
