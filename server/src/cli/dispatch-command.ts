import { readConfigOrExplain } from '../runtime/run-process.ts';
import { parseArguments, renderHelp } from './arguments.ts';
import { exitCodes } from './command.ts';
import { findCommand } from './commands.ts';
import { executeCommand, type CommandStreams } from './execute.ts';
import { renderGroup, renderOverview } from './overview.ts';
import { type CommandOutput, printMisuse } from './run-command.ts';

/** The parts of the process that a command line uses, except signals. */
export interface CommandLineContext extends CommandStreams {
  /** The settings, as docs/configuration.md lists them. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Runs everything but the service: a command or a request for help. Returns the exit code. */
export async function dispatchCommand(
  argv: readonly string[],
  { environment, output, openStandardInput }: CommandLineContext,
): Promise<number> {
  const [first = '', second] = argv;
  if (['', 'help', '--help', '-h'].includes(first)) {
    return printUsage(renderOverview(), first !== '', output);
  }
  const group = renderGroup(first);
  if (group !== null && (second === undefined || ['--help', '-h'].includes(second))) {
    return printUsage(group, second !== undefined, output);
  }
  const found = findCommand(argv);
  if (found === undefined) {
    return printMisuse(`unknown command "${argv.join(' ')}"`, '', output);
  }
  const { command, rest } = found;
  const parsed = parseArguments(command, rest);
  if (parsed.kind === 'misused') return printMisuse(parsed.reason, `${command.name} `, output);
  if (parsed.kind === 'help') {
    output.out(renderHelp(command));
    return exitCodes.done;
  }
  const config = readConfigOrExplain(environment, output.err);
  if (config === null) return exitCodes.failed;
  return await executeCommand(command, parsed, config, { output, openStandardInput });
}

/** Prints the usage: on `out` if it was requested, else as a refusal on `err`. */
function printUsage(text: string, isRequested: boolean, { out, err }: CommandOutput): number {
  if (isRequested) out(text);
  else err(text);
  return isRequested ? exitCodes.done : exitCodes.misused;
}
