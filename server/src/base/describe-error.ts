/** The maximum number of nested causes in a description. A failed query has two. */
const CAUSES_MAX = 5;

export function describeError(error: unknown, causesMax = CAUSES_MAX): string {
  if (!(error instanceof Error)) return String(error);
  // If several addresses of a host name were tried, the message of the AggregateError is empty.
  const message =
    error instanceof AggregateError && error.message === ''
      ? error.errors.map((one) => describeError(one, 0)).join('; ')
      : error.message || error.name;
  if (error.cause === undefined || causesMax === 0) return message;
  return `${message.replace(/\.$/, '')}: ${describeError(error.cause, causesMax - 1)}`;
}

/** Returns the code of a system, library or database error, or an empty text. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
