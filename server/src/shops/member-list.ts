import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Account, AccountLanguage } from './account.ts';
import type { Permission } from './permission.ts';

const MEMBERS_LISTED_MAX = 1_000;

export interface ListedMember extends Account {
  readonly permissions: readonly Permission[];
  readonly isActive: boolean;
  readonly joinedAt: Date;
}

export async function listMembers(db: Queryable, shopId: string): Promise<readonly ListedMember[]> {
  return await db.query(selectMembers, [shopId, MEMBERS_LISTED_MAX]);
}

export const selectMembers = statement<ListedMember>(
  'select_members',
  `select a.account_id as id, a.email, a.name, a.language, m.permissions,
          m.is_active as "isActive", m.created_at as "joinedAt"
     from member m join account a on a.account_id = m.account_id
    where m.shop_id = $1
    order by m.is_active desc, a.name, a.account_id
    limit $2`,
);

export interface PermittedMember {
  readonly email: string;
  readonly name: string;
  readonly language: AccountLanguage | null;
}

export async function listMembersWithPermission(
  db: Queryable,
  shopId: string,
  permission: Permission,
  limit: number,
): Promise<readonly PermittedMember[]> {
  return await db.query(selectMembersWithPermission, [shopId, permission, limit]);
}

export const selectMembersWithPermission = statement<PermittedMember>(
  'select_members_with',
  `select a.email, a.name, a.language
     from member m join account a on a.account_id = m.account_id
    where m.shop_id = $1 and m.is_active and $2::text = any(m.permissions)
    order by a.name, a.account_id
    limit $3`,
);
