import { READ_SCOPES, SCOPES } from '../apps/scope.ts';
import type { Addresses } from './addresses.ts';

/** @see https://www.rfc-editor.org/rfc/rfc8414#section-2 */
export function authorizationServerMetadata(addresses: Addresses): object {
  const { issuer } = addresses;
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth2/authorize`,
    token_endpoint: `${issuer}/oauth2/token`,
    revocation_endpoint: `${issuer}/oauth2/revoke`,
    jwks_uri: `${issuer}/oauth2/jwks`,
    scopes_supported: [...SCOPES],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
    revocation_endpoint_auth_methods_supported: ['client_secret_basic'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}

/** @see https://www.rfc-editor.org/rfc/rfc9728#section-2 */
export function protectedResourceMetadata(addresses: Addresses): object {
  return {
    resource: addresses.resource,
    authorization_servers: [addresses.issuer],
    scopes_supported: [...READ_SCOPES],
    bearer_methods_supported: ['header'],
  };
}
