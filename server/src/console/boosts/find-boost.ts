import { isUuid } from '../../base/field.ts';
import { type BoostRow, selectBoostRow } from '../../boosts/boost-row.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { RequestContext } from '../request-context.ts';

export async function findBoostByPath(
  { params, shop }: Pick<RequestContext, 'params' | 'shop'>,
  { db }: Pick<ConsoleDeps, 'db'>,
): Promise<BoostRow | undefined> {
  const { id } = params;
  return isUuid(id) ? await db.one(selectBoostRow, [shop.id, id.toLowerCase()]) : undefined;
}
