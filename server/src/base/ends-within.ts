/** Waits at most `ms` for `work` to settle. Returns whether it settled in time. */
export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const timeout = Promise.withResolvers<boolean>();
  const timer = setTimeout(timeout.resolve, ms, false);
  const inTime = (): boolean => true;
  const isInTime = await Promise.race([work.then(inTime, inTime), timeout.promise]);
  clearTimeout(timer);
  return isInTime;
}
