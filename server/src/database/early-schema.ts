import type pg from 'pg';
import { splitStatements } from './split-statements.ts';

const INVENTORY = 4;
const STOCK_FIGURES = 15;

// Migrations 0003 and 0004 were extended after the first checkouts of 0.1.0 had applied them.
const COMPLETE_EARLY_SCHEMA = `
  create index if not exists card_game on card (game_id, card_id);
  create index if not exists product_game on product (game_id, product_id);
  create index if not exists unit_location on unit (shop_id, location_id) where location_id is not null;
  create table if not exists renamed_game (
    game_id uuid not null references game,
    entry_kind text not null check (entry_kind in ('card', 'product')),
    from_id uuid not null,
    primary key (game_id, entry_kind)
  );
  alter table shop_grade add column if not exists position bigint not null default 0;
  alter table shop_grade alter column position drop default;
  update shop_grade g set position = c.position
    from catalog_change c
   where g.position = 0 and c.entry_kind = 'grade' and c.entry_id = g.grade_id`;

/** Call this before the later migrations, which need parts that were added to 0003 and 0004. */
export async function completeEarlySchema(
  client: pg.Client,
  applied: ReadonlySet<number>,
): Promise<void> {
  if (!applied.has(INVENTORY) || applied.has(STOCK_FIGURES)) return;
  for (const text of splitStatements(COMPLETE_EARLY_SCHEMA)) await client.query(text);
}
