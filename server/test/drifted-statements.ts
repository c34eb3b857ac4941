import { statement } from '../src/database/statement.ts';

// Data for the test that compares row types with PostgreSQL: only the first statement is correct.
// PostgreSQL refuses the others, or returns rows of a different type than they declare.

export const correctRow = statement<{
  readonly id: string;
  readonly createdAt: Date;
  readonly removedAt: Date | null;
  readonly permissions: readonly ('inventory.read' | 'inventory.write')[] | null;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly count: number;
}>(
  'test_right_row',
  `select app.client_id as id, app.created_at as "createdAt", removed_at as "removedAt",
          member.permissions, payload, count(*) over () as count
     from app left join member on member.shop_id = app.shop_id
    cross join oauth_artifact`,
);

export const unknownColumn = statement('test_unknown_column', 'select nothing_there from shop');

export const wrongColumnName = statement<{ readonly shopID: string }>(
  'test_other_name',
  'select shop_id as "shopId" from shop',
);

export const wrongType = statement<{ readonly createdAt: string; readonly name: string | number }>(
  'test_other_type',
  'select created_at as "createdAt", name from shop',
);

export const missingNull = statement<{ readonly removedAt: Date }>(
  'test_missing_null',
  'select removed_at as "removedAt" from app',
);

export const missingNullFromJoin = statement<{ readonly isActive: boolean }>(
  'test_missing_null_of_join',
  'select is_active as "isActive" from shop left join member using (shop_id)',
);

export const needlessNull = statement<{ readonly name: string | null }>(
  'test_never_null',
  'select name from shop',
);
