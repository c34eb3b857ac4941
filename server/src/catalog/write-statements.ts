import type { Columns } from '../database/columns.ts';
import { statement } from '../database/statement.ts';
import { CARD_COLUMNS, GRADE_COLUMNS, PRODUCT_COLUMNS } from './entry-columns.ts';

export interface WrittenEntry {
  readonly id: string;
  readonly isNew: boolean;
}

// Each upsert takes a JSON array of rows, writes only new or changed rows, and returns those rows.
// `xmax` is 0 for an inserted row, but not for an updated row.

export const upsertGames = statement<WrittenEntry>(
  'upsert_games',
  `insert into game (game_id, code, name)
   select id, code, name from jsonb_to_recordset($1::jsonb) as r (id uuid, code text, name text)
       on conflict (game_id) do update set code = excluded.code, name = excluded.name
    where (game.code, game.name) is distinct from (excluded.code, excluded.name)
   returning game_id as id, xmax = 0 as "isNew"`,
);

export const upsertCards = statement<WrittenEntry>(
  'upsert_cards',
  upsertEntry('card', CARD_COLUMNS),
);

export const upsertProducts = statement<WrittenEntry>(
  'upsert_products',
  upsertEntry('product', PRODUCT_COLUMNS),
);

export const upsertThirdPartyGrades = statement<WrittenEntry>(
  'upsert_third_party_grades',
  `insert into third_party_grade (grade_id, updated_at, ${GRADE_COLUMNS.names()})
   select (r.grade ->> 'id')::uuid, $2, ${GRADE_COLUMNS.fromJson('r.grade')}
     from jsonb_to_recordset($1::jsonb) as r (grade jsonb)
       on conflict (grade_id) do update set
          updated_at = excluded.updated_at, ${GRADE_COLUMNS.set('excluded')}
    where (${GRADE_COLUMNS.names('third_party_grade')})
       is distinct from (${GRADE_COLUMNS.names('excluded')})
   returning grade_id as id, xmax = 0 as "isNew"`,
);

function upsertEntry<Row extends object>(table: 'card' | 'product', columns: Columns<Row>): string {
  return `insert into ${table} (${table}_id, is_active, updated_at, ${columns.names()})
   select (r.${table} ->> 'id')::uuid, r."isActive", $2, ${columns.fromJson(`r.${table}`)}
     from jsonb_to_recordset($1::jsonb) as r (${table} jsonb, "isActive" boolean)
       on conflict (${table}_id) do update set
          is_active = excluded.is_active, updated_at = excluded.updated_at,
          ${columns.set('excluded')}
    where (${table}.is_active, ${columns.names(table)})
       is distinct from (excluded.is_active, ${columns.names('excluded')})
   returning ${table}_id as id, xmax = 0 as "isNew"`;
}

// `limit 1` makes both look-ups index scans. Without it, PostgreSQL would scan the complete tables.
export const selectEntryStates = statement<{
  readonly id: string;
  readonly kind: 'card' | 'product';
  readonly isActive: boolean;
}>(
  'select_entry_states',
  `select wanted.id, known.kind, known.is_active as "isActive"
     from unnest($1::uuid[]) as wanted (id)
    cross join lateral (
      (select 'card' as kind, is_active from card where card_id = wanted.id limit 1)
      union all
      (select 'product' as kind, is_active from product where product_id = wanted.id limit 1)
    ) known`,
);

export const toggleCards = statement<WrittenEntry>(
  'toggle_cards',
  `update card set is_active = not is_active, updated_at = $2
    where card_id = any($1::uuid[])
   returning card_id as id, false as "isNew"`,
);

export const toggleProducts = statement<WrittenEntry>(
  'toggle_products',
  `update product set is_active = not is_active, updated_at = $2
    where product_id = any($1::uuid[])
   returning product_id as id, false as "isNew"`,
);
