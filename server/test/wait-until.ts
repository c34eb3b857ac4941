/**
 * The pause after the first check of the condition. Each later pause is a quarter longer, because a
 * check costs CPU time.
 */
const FIRST_PAUSE_MS = 5;
const PAUSE_MS_MAX = 50;

/**
 * Waits until `condition` is true. Tests use this instead of sleeping.
 *
 * @throws Error if `condition` is still false after `boundMs`
 */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  boundMs = 30_000,
): Promise<void> {
  const endMs = performance.now() + boundMs;
  let pauseMs = FIRST_PAUSE_MS;
  while (!(await condition())) {
    if (performance.now() > endMs) {
      throw new Error(`not within ${boundMs} ms: ${condition.toString()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(1.25 * pauseMs, PAUSE_MS_MAX);
  }
}
