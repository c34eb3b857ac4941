import { hmac, type HmacKey, makeHmacKey } from '../base/hmac.ts';

/** The prefix of a symmetric secret in Standard Webhooks. */
const SECRET_PREFIX = 'whsec_';

/** The keys of one webhook secret, `whsec_…`. */
export interface SigningKeys {
  /** The text of the secret, including `whsec_`, without decoding (spec 6). */
  readonly service: HmacKey;
  /** The base64-decoded secret (Standard Webhooks 1.0.0). */
  readonly standard: HmacKey;
}

export function signingKeysOf(secret: string): SigningKeys {
  const text = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  return {
    service: makeHmacKey(Buffer.from(secret)),
    standard: makeHmacKey(Buffer.from(text, 'base64')),
  };
}

/**
 * Returns the signature of spec 6, `v1=<hex>`: HMAC-SHA256 of `<timestamp>.<raw body>`. `timestamp`
 * is the header's value.
 */
export function serviceSignature(
  { service }: SigningKeys,
  timestamp: string,
  body: Uint8Array,
): string {
  return `v1=${hmac(service, `${timestamp}.`, body, 'hex')}`;
}

/**
 * Returns a signature of Standard Webhooks 1.0.0, `v1,<base64>`: HMAC-SHA256 of
 * `<event id>.<timestamp>.<raw body>`.
 */
export function standardSignature(
  { standard }: SigningKeys,
  eventId: string,
  timestamp: string,
  body: Uint8Array,
): string {
  return `v1,${hmac(standard, `${eventId}.${timestamp}.`, body, 'base64')}`;
}
