/** Returns `zh-TW` for `zh-tw` (BCP 47), so that derived ids do not depend on the spelling. */
export function canonicalLanguage(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}
