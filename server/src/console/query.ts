import { isUuid } from '../base/field.ts';

/** Values of an address's query by their names. */
export type Query = Readonly<Record<string, string | number | null | undefined>>;

/** An address with the values of a query; empty ones are left out. */
export function withQuery(path: string, values: Query): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** The uuid of a path or query, in lower case, or null. */
export function uuidOf(text: string | undefined): string | null {
  return isUuid(text) ? text.toLowerCase() : null;
}

/** The whole number of a query, or null: at most 15 digits, which JavaScript counts exactly. */
export function numberOf(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
