import { readConfig } from '../config/config.ts';
import { parseArguments, renderHelp } from './arguments.ts';
import type { Command, StandaloneCommand, Usage } from './command.ts';
import { commands, findCommand, standaloneCommands, usages } from './commands.ts';
import { executeCommand, type CommandStreams } from './execute.ts';
import {
  exitCodes,
  type CommandOutput,
  refuse,
  refuseArguments,
  refuseSettings,
} from './output.ts';
import { printResult } from './run-command.ts';
import { suggestNearest } from './suggest.ts';

/** Runs a command or prints the requested help, and returns the exit code. */
export async function dispatchCommand(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  streams: CommandStreams,
): Promise<number> {
  const { output } = streams;
  const [first = '', second] = argv;
  if (['', 'help', '--help', '-h'].includes(first)) {
    return printUsage(renderOverview(), first !== '', output);
  }
  const group = renderGroup(first);
  if (group !== null && (second === undefined || ['--help', '-h'].includes(second))) {
    return printUsage(group, second !== undefined, output);
  }
  const found = findCommand<Command | StandaloneCommand>(
    [...commands, ...standaloneCommands],
    argv,
  );
  if (found === undefined) return refuseUnknown(argv, output);
  const { command, rest } = found;
  const parsed = parseArguments(command, rest);
  if (parsed.kind === 'misused') return refuseArguments(output, parsed.reason, command.name);
  if (parsed.kind === 'help') {
    output.out(renderHelp(command));
    return exitCodes.done;
  }
  if ('isStandalone' in command) {
    const result = await command.run(parsed.args, { environment, usages });
    return printResult(result, command.name, output);
  }
  const read = readConfig(environment);
  if (read.kind === 'invalid') return refuseSettings(output, read.problems);
  return await executeCommand(command, parsed.args, read.config, streams);
}

function refuseUnknown(argv: readonly string[], output: CommandOutput): number {
  const end = argv.findIndex((word) => word.startsWith('-'));
  const words = end === -1 ? argv : argv.slice(0, end);
  const names = usages.map(({ name }) => name);
  const groups = [...new Set(names.map((name) => name.split(' ')[0] ?? ''))];
  const typed = words.slice(0, 2).join(' ');
  const suggestion = suggestNearest(typed, names) || suggestNearest(words[0] ?? '', groups);
  const message = `unknown command "${argv.join(' ')}"${suggestion}`;
  return refuse(output, { code: 'unknown_command', message, help: 'cardport --help' });
}

/** Prints the usage on `out` if it was requested; otherwise on `err`, as an error. */
function printUsage(text: string, isRequested: boolean, { out, err }: CommandOutput): number {
  if (isRequested) out(text);
  else err(text);
  return isRequested ? exitCodes.done : exitCodes.misused;
}

/** The output of `cardport --help`: every command with one sentence. */
function renderOverview(): string {
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
function renderGroup(group: string): string | null {
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
