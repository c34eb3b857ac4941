/** The tag in its canonical spelling (BCP 47: `zh-tw` → `zh-TW`), so that ids made of it are the same; null for no tag. */
export function canonicalLanguage(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}
