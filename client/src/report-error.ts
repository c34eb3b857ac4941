/**
 * Calls an app's error listener. If the listener fails, its error goes to the console, because a
 * broken logger must not block the work or end the process.
 */
export function reportError(listener: (error: unknown) => unknown, error: unknown): void {
  // The listener starts synchronously, so that errors are logged in order.
  const reporting = (async (): Promise<unknown> => await listener(error))();
  reporting.catch((failure: unknown) => console.error(failure));
}
