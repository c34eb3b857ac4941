import { DatabaseSync } from 'node:sqlite';
import type { StoredTokens, TokenStore } from '@cardport/client';

process.umask(0o077); // The database contains tokens, so only its owner may read it.

export const db = new DatabaseSync(process.env['DATA_FILE'] ?? 'board.db');
db.exec(`
  pragma journal_mode = wal;
  create table if not exists fact (name text primary key, value text not null) strict;
  create table if not exists site (id text primary key, name text, timezone text) strict;
  create table if not exists unit (id text primary key, item_id text not null, words text not null,
    price_minor integer, has_photo integer not null, doc text not null, is_old integer) strict;
  create index if not exists unit_by_price on unit (price_minor desc, id);
  create index if not exists unit_by_item on unit (item_id, has_photo)`);

/** The value stored under a name, or null. */
export function readFact<T>(name: string): T | null {
  const row = db.prepare('select value from fact where name = ?').get(name);
  return row === undefined ? null : (JSON.parse(String(row['value'])) as T);
}

export function writeFact(name: string, value: unknown): void {
  db.prepare('insert or replace into fact values (?, ?)').run(name, JSON.stringify(value));
}

export const tokens: TokenStore = {
  load: async (key) => readFact<StoredTokens>(`tokens ${key}`),
  save: async (key, kept) => writeFact(`tokens ${key}`, kept),
  remove: async (key) => writeFact(`tokens ${key}`, null),
};
