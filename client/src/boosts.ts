import type { CallOptions, PartnerApi } from './partner-api.ts';
import { readObject } from './read-response.ts';
import type { BoostList } from './types.ts';

export interface BoostOptions extends CallOptions {
  /** `filled` also lists filled boosts, which the shop has stopped buying. Defaults to `open`. */
  readonly include?: 'open' | 'filled' | undefined;
}

/** Lists the buy boosts (4.4 GET /purchase-boosts). */
export async function listBoosts(api: PartnerApi, options: BoostOptions): Promise<BoostList> {
  const { include, signal } = options;
  const query = { include };
  const response = await api.send({ method: 'GET', path: '/purchase-boosts', query, signal });
  return readObject<BoostList>(response, { boosts: 'array', generatedAt: 'string' });
}
