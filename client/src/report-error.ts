/** An error of the app's listener goes to the console: a broken logger must not block the work. */
export function reportError(listener: (error: unknown) => unknown, error: unknown): void {
  // The listener starts synchronously, so that errors are logged in order.
  const reporting = (async (): Promise<unknown> => await listener(error))();
  reporting.catch((failure: unknown) => console.error(failure));
}
