import type { Database } from './database.ts';
import { statement } from './statement.ts';

export async function recordBackup(db: Database, takenAt: Date): Promise<void> {
  await db.query(insertBackup, [takenAt]);
}

/** Returns when the newest complete backup began, in Unix seconds; `NaN` if there is none. */
export async function readLastBackup(db: Database): Promise<number> {
  const newest = await db.one(selectLastBackup);
  return newest === undefined ? Number.NaN : newest.takenAt.getTime() / 1_000;
}

export const insertBackup = statement(
  'insert_backup',
  `with older as (delete from backup where taken_at < $1)
   insert into backup (taken_at) values ($1) on conflict do nothing`,
);

export const selectLastBackup = statement<{ readonly takenAt: Date }>(
  'select_last_backup',
  `select taken_at as "takenAt" from backup order by taken_at desc limit 1`,
);
