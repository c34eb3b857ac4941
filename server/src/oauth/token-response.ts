import type { KoaContextWithOIDC } from 'oidc-provider';

/**
 * The token answer as text, with the whole scope that was granted (RFC 6749 §5.1): the library names only what the
 * access token is for at its resource.
 */
export function renderTokenResponse(ctx: KoaContextWithOIDC): string {
  const { body } = ctx;
  if (typeof body !== 'object' || body === null) throw new Error('a token request has no answer');
  const { params, entities } = ctx.oidc;
  const source = entities.AuthorizationCode ?? entities.RefreshToken;
  const asked = params?.['scope'];
  const scope = typeof asked === 'string' ? asked : source?.scope;
  return JSON.stringify(scope === undefined ? body : { ...body, scope });
}
