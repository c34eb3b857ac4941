/**
 * Calls a caller's error listener. If it throws or rejects, that error goes to the console: a
 * broken logger must not block the work or end the process.
 */
export function reportError(listener: (error: unknown) => unknown, error: unknown): void {
  // The listener starts synchronously, so that the log keeps the order of events.
  const reporting = (async (): Promise<unknown> => await listener(error))();
  reporting.catch((failure: unknown) => console.error(failure));
}
