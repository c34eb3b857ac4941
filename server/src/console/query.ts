import { isUuid } from '../base/field.ts';

export type Query = Readonly<Record<string, string | number | null | undefined>>;

/** Appends query values to a path. Empty values are left out. */
export function withQuery(path: string, values: Query): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** Returns the UUID in a path or query in lower case, or null if it is malformed. */
export function parseUuid(text: string | undefined): string | null {
  return isUuid(text) ? text.toLowerCase() : null;
}

/** JavaScript represents every number of up to 15 digits exactly. */
export function parseNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
