/**
 * A whole number from `min` to `max` as typed, in full-width or half-width digits; null when it is
 * not one.
 */
export function parseCount(text: string, min: number, max: number): number | null {
  const plain = text.normalize('NFKC').trim();
  const count = /^\d{1,10}$/.test(plain) ? Number(plain) : Number.NaN;
  return count >= min && count <= max ? count : null;
}
