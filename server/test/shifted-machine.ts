/**
 * Preloaded into a process (`node --import`): its machine's clock is `SHIFTED_SECONDS` ahead, for `Date.now` and
 * `new Date()` alike. The monotonic clock stays what it is, as on a real machine.
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
