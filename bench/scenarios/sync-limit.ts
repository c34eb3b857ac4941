import { spawn } from 'node:child_process';
import { MEASURED_CORE, pinnedCommand } from '../harness/cores.ts';
import type { Sample } from '../harness/rounds.ts';

/**
 * Measures a baseline for sync: psql reads a shop's units as one `copy` of JSON, which PostgreSQL
 * renders with the same nesting as the feed's records. The output is dropped.
 */
export async function measureJsonCopy(url: string, shopId: string, units: number): Promise<Sample> {
  return await runCopy(url, jsonOf(shopId), units);
}

/**
 * Measures a baseline for sync with records that are already rendered. This is the minimum cost of
 * sending these bytes.
 */
export async function measureRenderedCopy(
  url: string,
  shopId: string,
  units: number,
): Promise<Sample> {
  const cost = `coalesce(cost_minor::text, 'null')`;
  const records = `select doc || ${cost} || '}}' from unit where shop_id = '${shopId}' order by seq`;
  return await runCopy(url, records, units);
}

async function runCopy(url: string, query: string, units: number): Promise<Sample> {
  const copy = `copy (${query}) to stdout`;
  const [program, ...args] = pinnedCommand(MEASURED_CORE, ['psql', url, '--no-psqlrc', '-c', copy]);
  const beganAtMs = performance.now();
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`psql ended with ${String(code)}`);
  return { count: units, seconds: (performance.now() - beganAtMs) / 1_000, cpuMs: null };
}

function jsonOf(shopId: string): string {
  return `select row_to_json(record) from (
    select 'unit' as kind, u.unit_id as id, u.updated_at as "changedAt", (
      select row_to_json(data) from (
        select u.unit_id as id, u.status, u.site_id as "siteId", u.location_id as "locationId", (
          select row_to_json(item) from (select 'card' as kind, (
            select row_to_json(card) from (
              select c.card_id as id, c.name, c.localized_names as "localizedNames",
                c.card_number as "cardNumber", c.set_total_raw as "setTotalRaw",
                c.jan_code as "janCode", c.language_code as "languageCode", c.variant, c.finish,
                c.image_url as "imageUrl",
                (select row_to_json(rarity) from (
                  select c.rarity_code as code, c.rarity_name as name) rarity) as rarity,
                (select row_to_json(edition) from (
                  select c.set_id as id, c.set_code as code, c.set_name as name,
                    c.set_name_en as "nameEn") edition) as set,
                (select row_to_json(game) from (
                  select g.game_id as id, g.code, g.name) game) as game
            ) card) as card, u.grade_id as grade) item) as item,
          u.cert_number as "certNumber", u.serial_number as "serialNumber", u.ownership,
          u.price_minor as "priceMinor", u.currency, u.photos, u.acquired_at as "acquiredAt",
          u.status_changed_at as "statusChangedAt", u.created_at as "createdAt",
          u.updated_at as "updatedAt", u.cost_minor as "costMinor"
      ) data) as data
    from unit u join card c using (card_id) join game g using (game_id)
    where u.shop_id = '${shopId}' order by u.seq
  ) record`;
}
