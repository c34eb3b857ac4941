import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type Actor, actorColumns } from '../shops/audit.ts';

/** Who last edited a boost, and when. A purchase is not an edit. */
export interface LastBoostEdit {
  readonly editedAt: Date;
  readonly kind: Actor['kind'];
  /** Null if the editor has no name or is a removed API key. */
  readonly name: string | null;
}

export const writeLastBoostEdit = statement(
  'write_last_boost_edit',
  `update boost set edited_at = $3, edited_by_kind = $4, edited_by_id = $5
  where shop_id = $1 and boost_id = $2`,
);

export const selectLastBoostEdit = statement<LastBoostEdit>(
  'select_last_boost_edit',
  `select b.edited_at as "editedAt", b.edited_by_kind as kind,
    case b.edited_by_kind
      when 'member' then (select a.name from account a where a.account_id = b.edited_by_id::uuid)
      when 'shop_key' then (
        select k.name from shop_key k where k.shop_id = $1 and k.key_id = b.edited_by_id::uuid)
    end as name
  from boost b
  where b.shop_id = $1 and b.boost_id = $2 and b.edited_at is not null`,
);

export async function recordBoostEdit(
  tx: Transaction,
  shopId: string,
  id: string,
  by: Actor,
  now: Date,
): Promise<void> {
  const { kind, id: actorId } = actorColumns(by);
  await tx.query(writeLastBoostEdit, [shopId, id, now, kind, actorId]);
}
