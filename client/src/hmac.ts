const HMAC = { name: 'HMAC', hash: 'SHA-256' };

export async function computeHmac(
  key: Uint8Array<ArrayBuffer>,
  data: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const imported = await crypto.subtle.importKey('raw', key, HMAC, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign(HMAC, imported, data));
}

/** Returns whether `mac` is the HMAC-SHA256 of `data`. The platform compares in constant time. */
export async function verifyHmac(
  mac: Uint8Array<ArrayBuffer>,
  key: Uint8Array<ArrayBuffer>,
  data: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const imported = await crypto.subtle.importKey('raw', key, HMAC, false, ['verify']);
  return await crypto.subtle.verify(HMAC, imported, mac, data);
}

export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The text must have an even number of hexadecimal digits. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
