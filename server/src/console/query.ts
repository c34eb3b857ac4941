import { isUuid } from '../base/field.ts';

export type Query = Readonly<Record<string, string | number | null | undefined>>;

/** A path with query values; empty ones are left out. */
export function withQuery(path: string, values: Query): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** The uuid in a path or query in lower case, or null. */
export function parseUuid(text: string | undefined): string | null {
  return isUuid(text) ? text.toLowerCase() : null;
}

/** The whole number in a query, or null. At most 15 digits, which JavaScript represents exactly. */
export function parseNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
