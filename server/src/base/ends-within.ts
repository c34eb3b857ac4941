/** Waits at most `ms` for `work` to settle. Returns whether it settled in time. */
export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(late.resolve, ms, false);
  const inTime = (): boolean => true;
  const isInTime = await Promise.race([work.then(inTime, inTime), late.promise]);
  clearTimeout(timer);
  return isInTime;
}
