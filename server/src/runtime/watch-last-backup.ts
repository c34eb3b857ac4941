import { type PeriodicWork, runPeriodically } from '../base/periodic.ts';
import type { Database } from '../database/database.ts';
import { readLastBackup } from '../database/last-backup.ts';
import type { Metrics } from '../http/metrics.ts';

const READ_EVERY_MS = 60_000;

/** Polls the database, because backups run in other processes. */
export function watchLastBackup(
  db: Database,
  metrics: Metrics,
  onFault: (error: unknown) => void,
): PeriodicWork {
  let seconds = Number.NaN;
  metrics.addGauge(
    'cardport_backup_last_timestamp_seconds',
    'Start time of the newest backup that "cardport backup" has completed.',
    () => seconds,
  );
  const read = async (): Promise<void> => {
    seconds = await readLastBackup(db);
  };
  const watching = runPeriodically(READ_EVERY_MS, read, onFault);
  watching.wake();
  return watching;
}
