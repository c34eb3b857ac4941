import type { AdapterPayload } from 'oidc-provider';
import type { AppWithSecrets } from '../apps/app.ts';

/** Any other text is never sent to the database, where a NUL byte would cause an error. */
const CLIENT_ID = /^app_[A-Za-z0-9]{1,80}$/;

export function isClientId(text: string): boolean {
  return CLIENT_ID.test(text);
}

export function clientMetadata(app: AppWithSecrets): AdapterPayload {
  return {
    client_id: app.clientId,
    // The library requires a secret, but we store only hashes. Our own method compares a secret
    // with `secret_hashes`.
    client_secret: '-',
    redirect_uris: [...app.redirectUris],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    // For `web` clients the library compares redirect URIs exactly, including the port.
    application_type: 'web',
    token_endpoint_auth_method: 'client_secret_basic',
    shop_id: app.shopId,
    app_name: app.name,
    is_enabled: app.isEnabled,
    allowed_scopes: [...app.scopes],
    secret_hashes: [...app.secretHashes],
  };
}

/** The members of our client metadata that are not in the library's list of registered names. */
export const CLIENT_PROPERTIES = [
  'shop_id',
  'app_name',
  'is_enabled',
  'allowed_scopes',
  'secret_hashes',
];

export function shopOfClient(client: object): string {
  if ('shop_id' in client && typeof client.shop_id === 'string') return client.shop_id;
  throw new Error('the client has no shop');
}

export function isEnabled(client: object): boolean {
  return 'is_enabled' in client && client.is_enabled === true;
}

export function allowedScopes(client: object): ReadonlySet<string> {
  return new Set('allowed_scopes' in client ? texts(client.allowed_scopes) : []);
}

export function secretHashes(client: object): readonly string[] {
  return 'secret_hashes' in client ? texts(client.secret_hashes) : [];
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
