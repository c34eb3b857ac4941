/**
 * Uuids or numbers as PostgreSQL writes an array of them, `{a,b}`: nothing in them needs quotes. The driver would look
 * through each of them for what does, which costs more than the rest of a statement's way there. Of no other text.
 */
export function columnOf(values: readonly (string | number)[]): string {
  return `{${values.join(',')}}`;
}

/** Instants in the same form. */
export function instantsOf(instants: readonly Date[]): string {
  return columnOf(instants.map((instant) => instant.toISOString()));
}
