// The baseline for `writes`: a loop over bare `pg` that runs the service's upsert statement on
// units with rendered records, one transaction per call. Arguments: URL, shop, `new` or `changed`,
// number of calls, units per call, salt of the new ids.
import pg from 'pg';
import { systemClock } from '../../server/src/base/clock.ts';
import { stockEffectsOf } from '../../server/src/inventory/stock-effects.ts';
import {
  effectValues,
  upsertUnitsWithEffects,
  upsertUnits,
  upsertValues,
} from '../../server/src/inventory/unit-upsert.ts';
import { OPERATOR } from '../../server/src/shops/audit.ts';
import { copyWithNewIds, readRenderedUnits } from '../data/rendered-units.ts';
import { withDatabase } from '../data/stock-database.ts';

const [url = '', shopId = '', kind, callsText, unitsText, salt = ''] = process.argv.slice(2);
const [calls, units] = [Number(callsText), Number(unitsText)];
const now = systemClock.now();

const written = await withDatabase(
  url,
  async (db) => await readRenderedUnits(db, shopId, kind === 'new' ? units : calls * units),
);
const batches = Array.from({ length: calls }, (_, call) => {
  const batch =
    kind === 'new'
      ? copyWithNewIds(written, `${salt} ${call}`)
      : written.slice(call * units, (call + 1) * units);
  if (kind !== 'new') return upsertValues(shopId, batch, now, 0);
  const moves = stockEffectsOf(batch.map(({ row }) => ({ before: undefined, row })));
  if (moves === null) throw new Error('new units must change the stock figures');
  return upsertValues(shopId, batch, now, 0, effectValues(moves, OPERATOR, now));
});
const client = new pg.Client({ connectionString: url });
await client.connect();
const { name, text } = kind === 'new' ? upsertUnitsWithEffects : upsertUnits;
const beganAtMs = performance.now();
const before = process.cpuUsage();
for (const values of batches) {
  await client.query('begin');
  const { rows } = await client.query<{ written: number }>({ name, text, values });
  if (rows[0]?.written !== units) throw new Error(`${rows[0]?.written} units of ${units}`);
  await client.query('commit');
}
const seconds = (performance.now() - beganAtMs) / 1_000;
const { user, system } = process.cpuUsage(before);
await client.end();
console.log(
  `ready ${JSON.stringify({ count: calls * units, seconds, cpuMs: (user + system) / 1_000 })}`,
);
