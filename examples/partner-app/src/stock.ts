import { type Change, isForSale, type SyncTarget, type Unit } from '@cardport/client';
import { db, readFact, writeFact } from './store.ts';

/** Where the SDK saves the shop's stock: each page with the cursor after it, in one transaction. */
export const stock: SyncTarget = {
  load: () => readFact<string>('cursor'),
  store({ changes, cursor, isRestart, isRestartDone }) {
    db.exec('begin immediate');
    try {
      // After a restart, records that did not come again are deleted; until then they are shown.
      if (isRestart) db.exec('update unit set is_old = 1');
      changes.forEach(put);
      if (isRestartDone) db.exec('delete from unit where is_old = 1');
      writeFact('cursor', cursor);
      db.exec('commit');
    } catch (error) {
      db.exec('rollback');
      throw error;
    }
  },
};

function put(change: Change): void {
  if (change.kind === 'site') {
    const { id, name, timezone } = change.data;
    db.prepare('insert or replace into site values (?, ?, ?)').run(id, name, timezone);
  } else if (change.kind === 'unit' && isForSale(change.data)) {
    const { id, item, priceMinor, photos } = change.data;
    const insert = db.prepare('insert or replace into unit values (?, ?, ?, ?, ?, ?, 0)');
    const itemId = item.kind === 'card' ? item.card.id : item.product.id;
    const [words, doc] = [fold(wordsOf(change.data)), JSON.stringify(change.data)];
    insert.run(id, itemId, words, priceMinor, Math.sign(photos.length), doc);
  } else if (change.kind === 'unit') {
    db.prepare('delete from unit where id = ?').run(change.id);
  }
}

function wordsOf({ item, certNumber }: Unit): string {
  if (item.kind !== 'card') return item.product.name;
  const { name, localizedNames, set, cardNumber, rarity } = item.card;
  const names = [name, ...Object.values(localizedNames), set?.code, set?.name];
  return [...names, cardNumber, rarity?.code, item.grade?.label, certNumber].join(' ');
}

const fold = (text: string): string => text.normalize('NFKC').toLowerCase();

/** Returns the units for sale with every word of the search, the most expensive first. */
export function listUnits(search: string, from: number, count: number): readonly Unit[] {
  const words = JSON.stringify(fold(search).split(/\s+/).slice(0, 8));
  const hasAll = 'not exists (select 1 from json_each(?) where instr(words, value) = 0)';
  return units(`${hasAll} order by price_minor desc, id limit ? offset ?`, words, count, from);
}

/** Finds a unit for sale by its id, or by its card or product, preferably one with a photo. */
export function findUnit(by: 'id' | 'item_id', value: string): Unit | undefined {
  return units(`${by} = ? order by has_photo desc limit 1`, value)[0];
}

function units(condition: string, ...values: readonly (string | number)[]): Unit[] {
  const rows = db.prepare(`select doc from unit where ${condition}`).all(...values);
  return rows.map((row) => JSON.parse(String(row['doc'])) as Unit);
}

/** Returns the names of the shop's sites by id, and the shop's time zone. */
export function readSites(): { names: Map<string, string>; timeZone: string } {
  const rows = db.prepare('select id, name, timezone from site').all();
  const names = new Map(rows.map((row) => [String(row['id']), String(row['name'])]));
  return { names, timeZone: String(rows[0]?.['timezone'] ?? 'UTC') };
}
