/** A failed query has two nested causes. */
const CAUSES_MAX = 5;

export function describeError(error: unknown, causesMax = CAUSES_MAX): string {
  if (!(error instanceof Error)) return String(error);
  // Several addresses of one host name were tried; the message of the whole is empty.
  const message =
    error instanceof AggregateError && error.message === ''
      ? error.errors.map((one) => describeError(one, 0)).join('; ')
      : error.message || error.name;
  if (error.cause === undefined || causesMax === 0) return message;
  return `${message.replace(/\.$/, '')}: ${describeError(error.cause, causesMax - 1)}`;
}

/** Empty if the system, library or database has set no code. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
