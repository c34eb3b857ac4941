/** Half of a process's database connections. */
const SHOPS_AT_ONCE = 4;

/** For Citus, where one transaction for several shops would need the nodes of all of them. */
export async function forEachShop<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const remaining = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = remaining.next(); next.done !== true; next = remaining.next()) {
      await work(next.value);
    }
  };
  await Promise.all(Array.from({ length: SHOPS_AT_ONCE }, worker));
}
