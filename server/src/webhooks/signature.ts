import { createHmac, createSecretKey } from 'node:crypto';

/** The prefix of a symmetric secret in Standard Webhooks. */
const SECRET_PREFIX = 'whsec_';

/**
 * Returns the signature of spec 6, `v1=<hex>`: HMAC-SHA256 of `<timestamp>.<raw body>`. The key is
 * the text of the secret, including `whsec_`, without decoding. `timestamp` is the header's value.
 */
export function serviceSignature(secret: string, timestamp: string, body: Uint8Array): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;
}

/**
 * Returns a signature of Standard Webhooks 1.0.0, `v1,<base64>`: HMAC-SHA256 of
 * `<event id>.<timestamp>.<raw body>`. The key is the base64-decoded secret.
 */
export function standardSignature(
  secret: string,
  eventId: string,
  timestamp: string,
  body: Uint8Array,
): string {
  const text = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  // With a `Buffer` as the key, this would take 37 µs instead of 12 µs (Node 24).
  const hmac = createHmac('sha256', createSecretKey(text, 'base64'));
  return `v1,${hmac.update(`${eventId}.${timestamp}.`).update(body).digest('base64')}`;
}
