import type { AdapterPayload } from 'oidc-provider';
import type { AppWithSecrets } from '../apps/app.ts';

/** What every client id of ours looks like: nothing else is asked of the database (a NUL byte would be a fault there). */
const CLIENT_ID = /^app_[A-Za-z0-9]{1,80}$/;

/** True when a text can be a client id. */
export function isClientId(text: string): boolean {
  return CLIENT_ID.test(text);
}

/** An app as the library knows a client. `secret_hashes` is compared by `compareClientSecret`. */
export function clientMetadata(app: AppWithSecrets): AdapterPayload {
  return {
    client_id: app.clientId,
    // The library wants one; secrets are stored as hashes only and compared by our own method.
    client_secret: '-',
    redirect_uris: [...app.redirectUris],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    // `web`: redirect URIs are compared exactly, ports included.
    application_type: 'web',
    token_endpoint_auth_method: 'client_secret_basic',
    shop_id: app.shopId,
    app_name: app.name,
    is_enabled: app.isEnabled,
    allowed_scopes: [...app.scopes],
    secret_hashes: [...app.secretHashes],
  };
}

/** The members beyond the registered ones that the library keeps with a client. */
export const CLIENT_PROPERTIES = [
  'shop_id',
  'app_name',
  'is_enabled',
  'allowed_scopes',
  'secret_hashes',
];

/** True when the shop has the app switched on. */
export function isEnabled(client: object): boolean {
  return 'is_enabled' in client && client.is_enabled === true;
}

/** The scopes that the shop lets the app ask for. */
export function allowedScopes(client: object): ReadonlySet<string> {
  return new Set('allowed_scopes' in client ? texts(client.allowed_scopes) : []);
}

/** SHA-256 of each live secret. */
export function secretHashes(client: object): readonly string[] {
  return 'secret_hashes' in client ? texts(client.secret_hashes) : [];
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
