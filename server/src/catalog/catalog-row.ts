import { statement } from '../database/statement.ts';

/** A row that was written. */
export interface Written {
  readonly id: string;
  /** True when the entry was not there before. */
  readonly isNew: boolean;
}

// Each upsert takes a JSON array of rows, writes those that are new or really differ, and returns these only.
// `xmax = 0` tells an inserted row from an updated one.

export const upsertGames = statement<Written>(
  'upsert_games',
  `insert into game (game_id, code, name)
   select id, code, name from jsonb_to_recordset($1::jsonb) as r (id uuid, code text, name text)
       on conflict (game_id) do update set code = excluded.code, name = excluded.name
    where (game.code, game.name) is distinct from (excluded.code, excluded.name)
   returning game_id as id, xmax = 0 as "isNew"`,
);

export const upsertCards = statement<Written>(
  'upsert_cards',
  `insert into card (card_id, game_id, set_id, set_code, set_name, set_name_en, name,
          localized_names, card_number, set_total_raw, jan_code, language_code, variant, finish,
          image_url, rarity_code, rarity_name, is_active, updated_at)
   select (r.card ->> 'id')::uuid, (r.card -> 'game' ->> 'id')::uuid,
          (r.card -> 'set' ->> 'id')::uuid, r.card -> 'set' ->> 'code',
          r.card -> 'set' ->> 'name', r.card -> 'set' ->> 'nameEn', r.card ->> 'name',
          r.card -> 'localizedNames', r.card ->> 'cardNumber', r.card ->> 'setTotalRaw',
          r.card ->> 'janCode', r.card ->> 'languageCode', r.card ->> 'variant',
          r.card ->> 'finish', r.card ->> 'imageUrl', r.card -> 'rarity' ->> 'code',
          r.card -> 'rarity' ->> 'name', r."isActive", $2
     from jsonb_to_recordset($1::jsonb) as r (card jsonb, "isActive" boolean)
       on conflict (card_id) do update set
          game_id = excluded.game_id, set_id = excluded.set_id, set_code = excluded.set_code,
          set_name = excluded.set_name, set_name_en = excluded.set_name_en, name = excluded.name,
          localized_names = excluded.localized_names, card_number = excluded.card_number,
          set_total_raw = excluded.set_total_raw, jan_code = excluded.jan_code,
          language_code = excluded.language_code, variant = excluded.variant,
          finish = excluded.finish, image_url = excluded.image_url,
          rarity_code = excluded.rarity_code, rarity_name = excluded.rarity_name,
          is_active = excluded.is_active, updated_at = excluded.updated_at
    where (card.game_id, card.set_id, card.set_code, card.set_name, card.set_name_en, card.name,
          card.localized_names, card.card_number, card.set_total_raw, card.jan_code,
          card.language_code, card.variant, card.finish, card.image_url, card.rarity_code,
          card.rarity_name, card.is_active)
       is distinct from
          (excluded.game_id, excluded.set_id, excluded.set_code, excluded.set_name,
          excluded.set_name_en, excluded.name, excluded.localized_names, excluded.card_number,
          excluded.set_total_raw, excluded.jan_code, excluded.language_code, excluded.variant,
          excluded.finish, excluded.image_url, excluded.rarity_code, excluded.rarity_name,
          excluded.is_active)
   returning card_id as id, xmax = 0 as "isNew"`,
);

export const upsertProducts = statement<Written>(
  'upsert_products',
  `insert into product (product_id, game_id, name, product_kind, jan_code, language_code,
          image_url, is_active, updated_at)
   select (r.product ->> 'id')::uuid, (r.product -> 'game' ->> 'id')::uuid,
          r.product ->> 'name', r.product ->> 'productKind', r.product ->> 'janCode',
          r.product ->> 'languageCode', r.product ->> 'imageUrl', r."isActive", $2
     from jsonb_to_recordset($1::jsonb) as r (product jsonb, "isActive" boolean)
       on conflict (product_id) do update set
          game_id = excluded.game_id, name = excluded.name, product_kind = excluded.product_kind,
          jan_code = excluded.jan_code, language_code = excluded.language_code,
          image_url = excluded.image_url, is_active = excluded.is_active,
          updated_at = excluded.updated_at
    where (product.game_id, product.name, product.product_kind, product.jan_code,
          product.language_code, product.image_url, product.is_active)
       is distinct from
          (excluded.game_id, excluded.name, excluded.product_kind, excluded.jan_code,
          excluded.language_code, excluded.image_url, excluded.is_active)
   returning product_id as id, xmax = 0 as "isNew"`,
);

export const upsertThirdPartyGrades = statement<Written>(
  'upsert_third_party_grades',
  `insert into third_party_grade (grade_id, code, label, service_code, service_name, updated_at)
   select (r.grade ->> 'id')::uuid, r.grade ->> 'code', r.grade ->> 'label',
          r.grade ->> 'serviceCode', r.grade ->> 'serviceName', $2
     from jsonb_to_recordset($1::jsonb) as r (grade jsonb)
       on conflict (grade_id) do update set
          code = excluded.code, label = excluded.label, service_code = excluded.service_code,
          service_name = excluded.service_name, updated_at = excluded.updated_at
    where (third_party_grade.code, third_party_grade.label, third_party_grade.service_code,
          third_party_grade.service_name)
       is distinct from
          (excluded.code, excluded.label, excluded.service_code, excluded.service_name)
   returning grade_id as id, xmax = 0 as "isNew"`,
);

// The limits of one keep both look-ups in their indexes: a plan for any number of ids would read whole tables.
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

export const switchCards = statement<Written>(
  'switch_cards',
  `update card set is_active = not is_active, updated_at = $2
    where card_id = any($1::uuid[])
   returning card_id as id, false as "isNew"`,
);

export const switchProducts = statement<Written>(
  'switch_products',
  `update product set is_active = not is_active, updated_at = $2
    where product_id = any($1::uuid[])
   returning product_id as id, false as "isNew"`,
);
