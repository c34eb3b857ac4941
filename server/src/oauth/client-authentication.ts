import { isClientId } from './client-metadata.ts';

/** What a token or revocation request says about who sends it. */
export type ClientCredentials =
  | { readonly kind: 'basic'; readonly clientId: string }
  /** No `Authorization`, another scheme, or no id and secret in it. */
  | { readonly kind: 'none' };

/** Longer is none of ours; the header itself is bounded by Node. */
const ENCODED_CHARACTERS_MAX = 1_024;

/**
 * The client id of `Authorization: Basic` (RFC 7617, RFC 6749 §2.3.1): both parts url-encoded, or plain, which for our
 * ids and secrets is the same. Anything that the library would call a malformed request is no authentication at all.
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

/** The name that failures are counted under: what cannot be a client id shares one counter, so that no name fills a table. */
export function attemptName(clientId: string): string {
  return isClientId(clientId) ? clientId : 'unknown';
}

function decode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', '%20'));
    // RFC 6749 appendix A: printable ASCII only.
    return /^[\u0020-\u007e]*$/.test(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}
