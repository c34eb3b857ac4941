/** Waits for the end of `work`, in whatever way it ends, but no longer than `ms`. Returns whether it ended in time. */
export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(late.resolve, ms, false);
  const inTime = (): boolean => true;
  const isInTime = await Promise.race([work.then(inTime, inTime), late.promise]);
  clearTimeout(timer);
  return isInTime;
}
