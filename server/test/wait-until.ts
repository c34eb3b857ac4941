/** Time between two looks at a condition. */
const LOOK_EVERY_MS = 5;

/**
 * Waits until `condition` holds: the tests' way instead of sleeping.
 *
 * @throws Error when it does not hold within `boundMs`.
 */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  boundMs = 30_000,
): Promise<void> {
  const endMs = performance.now() + boundMs;
  while (!(await condition())) {
    if (performance.now() > endMs) {
      throw new Error(`not within ${boundMs} ms: ${condition.toString()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
