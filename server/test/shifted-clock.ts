/**
 * This module is preloaded into a process (`node --import`). It sets `Date.now` and `new Date()`
 * `SHIFTED_SECONDS` ahead. The monotonic clock is unchanged, as on a machine with a wrong clock.
 */
const aheadMs = Number(process.env['SHIFTED_SECONDS']) * 1_000;
const TrueDate = Date;

globalThis.Date = new Proxy(TrueDate, {
  apply: () => new TrueDate(TrueDate.now() + aheadMs).toString(),
  construct: (target, given, newTarget): object => {
    const values: readonly unknown[] = given.length === 0 ? [trueNow() + aheadMs] : given;
    return Reflect.construct(target, values, newTarget);
  },
});
const trueNow = TrueDate.now;
TrueDate.now = (): number => trueNow() + aheadMs;
