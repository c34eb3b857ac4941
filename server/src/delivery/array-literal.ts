/**
 * Formats UUIDs or numbers as a PostgreSQL array literal, `{a,b}`. It must not be used for other
 * text, because it quotes nothing. Arrays are not passed to the driver, which would scan each value
 * for characters to escape and take longer than the rest of sending the statement.
 */
export function toArrayLiteral(values: readonly (string | number)[]): string {
  return `{${values.join(',')}}`;
}

export function toInstantArrayLiteral(instants: readonly Date[]): string {
  return toArrayLiteral(instants.map((instant) => instant.toISOString()));
}
