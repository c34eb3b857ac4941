/**
 * Tells a caller's function of a failure. What it throws, or rejects with, goes to the console: a log that is down must not
 * keep back what comes after it, nor end the process.
 */
export function tell(listener: (error: unknown) => unknown, error: unknown): void {
  // Its beginning runs at once, so that the log has the order of what happened.
  const telling = (async (): Promise<unknown> => await listener(error))();
  telling.catch((fault: unknown) => console.error(fault));
}
