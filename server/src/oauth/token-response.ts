import type { KoaContextWithOIDC } from 'oidc-provider';
import { invalidScope } from './authorization-policy.ts';
import { allowedScopes } from './client-metadata.ts';

/**
 * The token answer as text, with the whole scope that was granted (RFC 6749 §5.1): the library names only what the
 * access token is for at its resource. What the shop has taken from the app since is not among it (decision 0003); if that
 * is all of it, throws `invalid_scope`, and nothing is spent.
 */
export function renderTokenResponse(ctx: KoaContextWithOIDC): string {
  const { body } = ctx;
  if (typeof body !== 'object' || body === null) throw new Error('a token request has no answer');
  const { params, entities, client } = ctx.oidc;
  const source = entities.AuthorizationCode ?? entities.RefreshToken;
  const asked = params?.['scope'];
  const granted = typeof asked === 'string' ? asked : source?.scope;
  const allowed = allowedScopes(client ?? {});
  const words = granted?.split(' ').filter((word) => allowed.has(word)) ?? [];
  if (words.length === 0) throw invalidScope('the shop allows nothing of what was approved');
  return JSON.stringify({ ...body, scope: words.join(' ') });
}
