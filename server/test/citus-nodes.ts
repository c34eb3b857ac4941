import type { CitusNodes } from '../../scripts/citus.ts';

export const IS_ON_CITUS = process.env['TEST_CITUS_WORKERS'] !== undefined;

/** Returns the nodes of the Citus cluster on which the tests run. */
export function citusNodes(): CitusNodes {
  const [coordinator, ...workers] = [
    process.env['TEST_POSTGRES_URL'],
    ...(process.env['TEST_CITUS_WORKERS'] ?? '').split(','),
  ].map((url = '') => ({ url, port: Number(new URL(url).port) }));
  if (coordinator === undefined) throw new Error('the tests do not run on Citus');
  return { coordinator, workers };
}
