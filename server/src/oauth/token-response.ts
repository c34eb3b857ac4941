import type { KoaContextWithOIDC } from 'oidc-provider';
import { invalidScope } from './authorization-policy.ts';
import { allowedScopes } from './client-metadata.ts';

/**
 * Renders a token response with the complete granted scope (RFC 6749 §5.1). The library would name
 * only the scopes of the access token. Scopes that the shop no longer allows the app are left out
 * (decision 0003).
 *
 * @throws InvalidScope, before a code or token is consumed, if no scope is left
 */
export function renderTokenResponse(ctx: KoaContextWithOIDC): string {
  const { body } = ctx;
  if (typeof body !== 'object' || body === null) {
    throw new Error('the token request has no response');
  }
  const { params, entities, client } = ctx.oidc;
  const source = entities.AuthorizationCode ?? entities.RefreshToken;
  const requested = params?.['scope'];
  const granted = typeof requested === 'string' ? requested : source?.scope;
  const allowed = allowedScopes(client ?? {});
  const scopes = granted?.split(' ').filter((word) => allowed.has(word)) ?? [];
  if (scopes.length === 0) {
    throw invalidScope('the shop no longer allows any of the approved scopes');
  }
  return JSON.stringify({ ...body, scope: scopes.join(' ') });
}
