/** The maximum number of nested causes in a description. A failed query has two. */
const CAUSES_MAX = 5;

/** Returns the messages of an error and its causes on one line, each once. */
export function describeError(error: unknown, causesMax = CAUSES_MAX): string {
  if (!(error instanceof Error)) return String(error);
  // If several addresses of a host name were tried, the message of the AggregateError is empty.
  const text =
    error instanceof AggregateError && error.message === ''
      ? error.errors.map((one) => describeError(one, 0)).join('; ')
      : error.message || error.name;
  const message = text.trimEnd().replaceAll(/\s*\n\s*/g, ' ');
  if (error.cause === undefined || causesMax === 0) return message;
  const cause = describeError(error.cause, causesMax - 1);
  return message.endsWith(cause) ? message : `${message.replace(/\.$/, '')}: ${cause}`;
}

/** Returns the code of a system, library or database error, or an empty text. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
