import type { Usage } from './arguments.ts';
import { commands } from './commands.ts';
import { deliverUsage } from './deliver.ts';
import { emulateUsage } from './emulate.ts';
import { serveUsage } from './serve.ts';

/** The output of `cardport --help`: every command with one sentence. */
export function renderOverview(): string {
  return [
    'Usage: cardport COMMAND [OPTION …]',
    '',
    ...rowsOf([serveUsage, deliverUsage, emulateUsage, ...commands]),
    '',
    'Run cardport COMMAND --help for the options of a command. The environment selects the database',
    '(DATABASE_URL, else the folder DATA_DIR). Commands may run while services do.',
    'Exit codes: 0 success, 1 failure, 2 wrong usage, 3 some lines were rejected.',
    '',
  ].join('\n');
}

/**
 * The output of `cardport shop --help`: the commands that begin with the word `group`; null if
 * there are none.
 */
export function renderGroup(group: string): string | null {
  const members = commands.filter(({ name }) => name.startsWith(`${group} `));
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

function rowsOf(usages: readonly Usage[]): string[] {
  const width = Math.max(...usages.map(({ name }) => name.length));
  return usages.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
}
