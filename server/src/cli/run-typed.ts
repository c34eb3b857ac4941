import { readConfigOrExplain } from '../runtime/run-process.ts';
import { readArguments, renderHelp } from './arguments.ts';
import { exitCodes } from './command.ts';
import { findCommand } from './commands.ts';
import { executeCommand, type Streams } from './execute.ts';
import { renderGroup, renderOverview } from './overview.ts';
import { type CommandOutput, tellMisuse } from './run-command.ts';

/** The parts of the process that a command line uses, except signals. */
export interface Surroundings extends Streams {
  /** The settings, as docs/configuration.md lists them. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Runs everything but the service: a command or a request for help. Returns the exit code. */
export async function runTyped(
  typed: readonly string[],
  { environment, output, openStandardInput }: Surroundings,
): Promise<number> {
  const [first = '', second] = typed;
  if (['', 'help', '--help', '-h'].includes(first)) {
    return tellUsage(renderOverview(), first !== '', output);
  }
  const group = renderGroup(first);
  if (group !== null && (second === undefined || ['--help', '-h'].includes(second))) {
    return tellUsage(group, second !== undefined, output);
  }
  const found = findCommand(typed);
  if (found === undefined) {
    return tellMisuse(`unknown command "${typed.join(' ')}"`, '', output);
  }
  const { command, rest } = found;
  const asked = readArguments(command, rest);
  if (asked.kind === 'misused') return tellMisuse(asked.reason, `${command.name} `, output);
  if (asked.kind === 'help') {
    output.out(renderHelp(command));
    return exitCodes.done;
  }
  const config = readConfigOrExplain(environment, output.err);
  if (config === null) return exitCodes.failed;
  return await executeCommand(command, asked, config, { output, openStandardInput });
}

/** Prints the usage: on `out` if it was requested, else as a refusal on `err`. */
function tellUsage(text: string, isAskedFor: boolean, { out, err }: CommandOutput): number {
  if (isAskedFor) out(text);
  else err(text);
  return isAskedFor ? exitCodes.done : exitCodes.misused;
}
