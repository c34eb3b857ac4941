import { ApiError } from '../http/errors.ts';

export type Bearer =
  | { readonly kind: 'token'; readonly token: string }
  /** There is no `Authorization` header, or it has another scheme. */
  | { readonly kind: 'none' }
  /** The scheme is Bearer, but the value does not have the form of a token. */
  | { readonly kind: 'malformed' };

/** Our tokens have 69 characters; much longer ones are not looked up. */
const TOKEN_CHARACTERS_MAX = 200;
/** RFC 6750 §2.1: the scheme (in any case), spaces, and a b64token, which has no spaces. */
const CREDENTIALS = /^bearer +[A-Za-z0-9\-._~+/]+=*$/i;

/** Reads the token in the Authorization header. Tokens elsewhere are ignored (RFC 9700 §2.6). */
export function readBearer(authorization: string | undefined): Bearer {
  if (authorization === undefined) return { kind: 'none' };
  if (CREDENTIALS.test(authorization)) {
    const token = authorization.slice(authorization.lastIndexOf(' ') + 1);
    if (token.length <= TOKEN_CHARACTERS_MAX) return { kind: 'token', token };
  }
  return { kind: /^bearer +\S/i.test(authorization) ? 'malformed' : 'none' };
}

/** Names the metadata (RFC 9728 §5.1), and the error only if a token was sent (RFC 6750 §3.1). */
export function invalidToken(metadataUrl: string, wasTokenSent: boolean): ApiError {
  const challenge = `Bearer resource_metadata="${metadataUrl}"`;
  const header = wasTokenSent ? `${challenge}, error="invalid_token"` : challenge;
  return new ApiError(401, 'invalid_token', { headers: { 'www-authenticate': header } });
}
