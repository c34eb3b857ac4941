/**
 * The canonical spelling (BCP 47: `zh-tw` → `zh-TW`), so that derived ids do not depend on the
 * spelling. Null for an invalid tag.
 */
export function canonicalLanguage(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}
