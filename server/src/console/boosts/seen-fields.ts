import type { BoostTexts } from './form-values.ts';

/** What an edit carries to tell what was changed, and by whom: all of the boost as the member was shown it. */
export function seenFields(texts: BoostTexts, seenAt: Date): Readonly<Record<string, string>> {
  const fields: Record<string, string> = { seen: seenAt.toISOString() };
  for (const [name, value] of Object.entries<string>({ ...texts })) fields[`was_${name}`] = value;
  return fields;
}
