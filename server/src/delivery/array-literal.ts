/**
 * Formats UUIDs or numbers as a PostgreSQL array literal, `{a,b}`. They never need quoting. The
 * driver would scan each value for characters to escape, which costs more than the rest of sending
 * the statement. Do not use it for other text.
 */
export function toArrayLiteral(values: readonly (string | number)[]): string {
  return `{${values.join(',')}}`;
}

/** Formats instants as a PostgreSQL array literal. */
export function toInstantArrayLiteral(instants: readonly Date[]): string {
  return toArrayLiteral(instants.map((instant) => instant.toISOString()));
}
