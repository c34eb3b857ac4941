/**
 * An error that the app's own listener throws is logged to the console, because a broken logger
 * must not block the work.
 */
export function reportError(listener: (error: unknown) => unknown, error: unknown): void {
  // The listener starts synchronously, so that errors are logged in order.
  const reporting = (async (): Promise<unknown> => await listener(error))();
  reporting.catch((failure: unknown) => console.error(failure));
}
