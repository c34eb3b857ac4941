/**
 * Only for UUIDs and numbers, because nothing is quoted. `pg` would scan each value of an array for
 * characters to escape, which takes longer than the rest of its work for the statement.
 */
export function toArrayLiteral(values: readonly (string | number)[]): string {
  return `{${values.join(',')}}`;
}

export function toInstantArrayLiteral(instants: readonly Date[]): string {
  return toArrayLiteral(instants.map((instant) => instant.toISOString()));
}
