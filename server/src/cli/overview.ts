import { commands } from './commands.ts';
import { migrateUsage } from './migrate.ts';
import { serveUsage } from './serve.ts';

/** What `cardport --help` prints: every command with one sentence. */
export function renderOverview(): string {
  const usages = [serveUsage, migrateUsage, ...commands];
  const width = Math.max(...usages.map(({ name }) => name.length));
  const rows = usages.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    'Usage: cardport COMMAND [OPTION …]',
    '',
    ...rows,
    '',
    'cardport COMMAND --help tells its options. The database is the one that the environment names',
    '(DATABASE_URL, else the folder DATA_DIR); while a service runs on that folder, commands run inside it.',
    'Exit codes: 0 done, 1 failed, 2 wrong usage, 3 some lines were rejected.',
    '',
  ].join('\n');
}
