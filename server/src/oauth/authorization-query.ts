import { AUTH_PATH } from './addresses.ts';
import { type OAuthRefusal, refusal } from './error-body.ts';

export type PreparedQuery =
  /** `clientId` is null if the parameter is missing or occurs twice. */
  | { readonly kind: 'prepared'; readonly target: string; readonly clientId: string | null }
  | { readonly kind: 'refused'; readonly refusal: OAuthRefusal };

/** The longest accepted `state`, `nonce` and `login_hint` fit into it together, encoded. */
const QUERY_CHARACTERS_MAX = 8_192;

/** Adds `consent` to `prompt`, because without it the library silently drops `offline_access`. */
export function prepareAuthorizationQuery(url: string): PreparedQuery {
  const text = queryOf(url);
  if (text.length > QUERY_CHARACTERS_MAX) {
    const reason = `the query must have at most ${QUERY_CHARACTERS_MAX} characters`;
    return { kind: 'refused', refusal: refusal(400, 'invalid_request', reason) };
  }
  const query = new URLSearchParams(text);
  for (const [name, value] of query) {
    // No parameter may contain NUL (RFC 6749, appendix A), and PostgreSQL's JSON cannot store it.
    if (`${name}${value}`.includes('\0')) {
      const refused = refusal(400, 'invalid_request', 'a parameter must not contain a NUL byte');
      return { kind: 'refused', refusal: refused };
    }
  }
  const prompts = query.getAll('prompt');
  const [prompt = ''] = prompts;
  const promptValues = prompt.split(' ').filter((word) => word !== '');
  if (prompts.length <= 1 && !promptValues.includes('none') && !promptValues.includes('consent')) {
    query.set('prompt', [...promptValues, 'consent'].join(' '));
  }
  useQueryMode(query);
  const ids = query.getAll('client_id');
  return {
    kind: 'prepared',
    target: `${AUTH_PATH}/oauth2/authorize?${query.toString()}`,
    clientId: ids.length === 1 ? (ids[0] ?? null) : null,
  };
}

/** Returns the query of a URL as it was sent. */
export function queryOf(url = ''): string {
  return url.replace(/^[^?]*\??/, '');
}

/**
 * The library would send the error for an unsupported response type in the fragment. The type is
 * therefore replaced by `none`, for which the library sends the error in the query.
 */
function useQueryMode(query: URLSearchParams): void {
  if (!query.has('response_mode')) query.set('response_mode', 'query');
  const types = query.getAll('response_type');
  const [type = ''] = types;
  if (types.length === 1 && type !== '' && type !== 'code') query.set('response_type', 'none');
}
