import type { Usage } from './command.ts';
import { usages } from './commands.ts';

/** The output of `cardport --help`: every command with one sentence. */
export function renderOverview(): string {
  return [
    'Usage: cardport COMMAND [OPTION …]',
    '',
    ...rowsOf(usages),
    '',
    'Run cardport COMMAND --help for the options of a command. The environment selects the database',
    '(DATABASE_URL, else the folder DATA_DIR). Commands may run while services run.',
    'Exit codes: 0 success, 1 failure, 2 wrong usage, 3 some lines were rejected.',
    '',
  ].join('\n');
}

/** The output of `cardport shop --help`; null if no command begins with the word `group`. */
export function renderGroup(group: string): string | null {
  const members = usages.filter(({ name }) => name.startsWith(`${group} `));
  if (members.length === 0) return null;
  return [
    `Usage: cardport ${group} COMMAND [OPTION …]`,
    '',
    ...rowsOf(members),
    '',
    `Run cardport ${group} COMMAND --help for the options of a command.`,
    '',
  ].join('\n');
}

function rowsOf(listed: readonly Usage[]): string[] {
  const width = Math.max(...listed.map(({ name }) => name.length));
  return listed.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
}
