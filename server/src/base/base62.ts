const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BITS_PER_DIGIT = Math.log2(ALPHABET.length);

export function base62Length(bytes: number): number {
  return Math.ceil((bytes * 8) / BITS_PER_DIGIT);
}

export function toBase62(bytes: Buffer): string {
  let value = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let digit = base62Length(bytes.length); digit > 0; digit--) {
    text = `${ALPHABET[Number(value % 62n)] ?? ''}${text}`;
    value /= 62n;
  }
  return text;
}

/** 62 ** 8 is below 2 ** 53, so eight digits fit into a `number`, which is faster than `BigInt`. */
const CHUNK = 8;

/** Decodes a text into `bytes` bytes. Returns undefined if the text is invalid. */
export function fromBase62(text: string, bytes: number): Buffer | undefined {
  if (text.length !== base62Length(bytes)) return undefined;
  let value = 0n;
  for (let at = 0; at < text.length; at += CHUNK) {
    const digits = text.slice(at, at + CHUNK);
    let chunk = 0;
    for (const letter of digits) {
      const digit = ALPHABET.indexOf(letter);
      if (digit === -1) return undefined;
      chunk = chunk * 62 + digit;
    }
    value = value * BigInt(62 ** digits.length) + BigInt(chunk);
  }
  const hex = value.toString(16).padStart(bytes * 2, '0');
  return hex.length === bytes * 2 ? Buffer.from(hex, 'hex') : undefined;
}
