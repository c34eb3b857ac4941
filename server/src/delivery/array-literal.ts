/**
 * Formats UUIDs or numbers as a PostgreSQL array literal, `{a,b}`. Do not use this for other text,
 * because nothing is quoted. `pg` would also accept an array, but scans each value for characters
 * to escape, which takes longer than the rest of its work for the statement.
 */
export function toArrayLiteral(values: readonly (string | number)[]): string {
  return `{${values.join(',')}}`;
}

export function toInstantArrayLiteral(instants: readonly Date[]): string {
  return toArrayLiteral(instants.map((instant) => instant.toISOString()));
}
