import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Permission } from './permission.ts';

const SHOPS_OF_ACCOUNT_MAX = 200;

export interface ShopOfAccount {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
}

export async function listShopsOfAccount(
  db: Queryable,
  accountId: string,
): Promise<readonly ShopOfAccount[]> {
  return await db.query(selectShopsOfAccount, [accountId, SHOPS_OF_ACCOUNT_MAX]);
}

export const selectShopsOfAccount = statement<ShopOfAccount>(
  'select_shops_of_account',
  `select s.shop_id as id, s.slug, s.name, m.permissions
     from member m join shop s on s.shop_id = m.shop_id
    where m.account_id = $1 and m.is_active
    order by s.name, s.slug
    limit $2`,
);
