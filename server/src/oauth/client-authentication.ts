import { isClientId } from './client-metadata.ts';

export type ClientCredentials =
  | { readonly kind: 'basic'; readonly clientId: string }
  /** There is no `Authorization` header, it has another scheme, or it contains no id and secret. */
  | { readonly kind: 'none' };

/** Rejects encoded credentials that are longer than any that we issue. */
const ENCODED_CHARACTERS_MAX = 1_024;

/**
 * Reads the client id from `Authorization: Basic` (spec 5.3, step 4; RFC 6749 §2.3.1, RFC 7617).
 * The id and the secret may be URL-encoded or not, because they contain no characters that URL
 * encoding changes. A malformed header counts as no authentication.
 */
export function readCredentials(authorization: string | undefined): ClientCredentials {
  const match = /^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '');
  const encoded = match?.[1];
  if (encoded === undefined || encoded.length > ENCODED_CHARACTERS_MAX) return { kind: 'none' };
  if (encoded.replace(/=+$/, '').length % 4 === 1) return { kind: 'none' };
  if (encoded.includes('=') && encoded.length % 4 !== 0) return { kind: 'none' };
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon === -1) return { kind: 'none' };
  const clientId = decode(text.slice(0, colon));
  const secret = decode(text.slice(colon + 1));
  if (clientId === undefined || secret === undefined || secret === '') return { kind: 'none' };
  return { kind: 'basic', clientId };
}

/** All texts that cannot be a client id share one counter, so that they cannot fill the table. */
export function throttleName(clientId: string): string {
  return isClientId(clientId) ? clientId : 'unknown';
}

function decode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', '%20'));
    // RFC 6749 appendix A allows printable ASCII only.
    return /^[\u0020-\u007e]*$/.test(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}
