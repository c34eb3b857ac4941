/**
 * Returns the canonical form of a BCP 47 tag (`zh-TW` for `zh-tw`), so that derived ids do not
 * depend on its spelling. Null for an invalid tag.
 */
export function canonicalLanguage(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}
