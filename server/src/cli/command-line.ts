import { VERSION } from '../base/version.ts';
import { parseArguments, renderHelp } from './arguments.ts';
import { readConfig } from '../config/config.ts';
import { deliverUsage, runDeliver } from './deliver.ts';
import { emulateUsage, runEmulate } from './emulate.ts';
import type { CommandStreams } from './execute.ts';
import {
  asksForJson,
  type CommandOutput,
  exitCodes,
  refuseArguments,
  refuseSettings,
} from './output.ts';
import { refuseFailure } from './run-command.ts';
import { runServe, serveUsage } from './serve.ts';

/** The parts of the process that a command line uses, except signals. */
export interface CommandLineContext extends Omit<CommandStreams, 'output'> {
  /** The environment variables with the settings that docs/configuration.md lists. */
  readonly environment: NodeJS.ProcessEnv;
  readonly output: Pick<CommandOutput, 'out' | 'err'>;
}

/** Returns the exit code. Failures are printed in one line, never thrown. */
export async function runCommandLine(
  argv: readonly string[],
  { environment, output: streams, ...others }: CommandLineContext,
): Promise<number> {
  const output = { ...streams, isJson: asksForJson(argv) };
  try {
    return await run(argv, environment, { output, ...others });
  } catch (error) {
    return refuseFailure(output, error);
  }
}

async function run(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  streams: CommandStreams,
): Promise<number> {
  const { output } = streams;
  const [first = '', ...rest] = argv;
  if (first === '--version') {
    output.out(`${VERSION}\n`);
    return exitCodes.done;
  }
  if (first === emulateUsage.name) return await runEmulate(rest, { environment, output });
  const usage = [serveUsage, deliverUsage].find(({ name }) => name === first);
  // Load this module only if it is needed, so that the service starts sooner.
  if (usage === undefined) {
    const { dispatchCommand } = await import('./dispatch-command.ts');
    return await dispatchCommand(argv, environment, streams);
  }
  const parsed = parseArguments(usage, rest);
  if (parsed.kind === 'misused') return refuseArguments(output, parsed.reason, usage.name);
  if (parsed.kind === 'help') {
    output.out(renderHelp(usage));
    return exitCodes.done;
  }
  const read = readConfig(environment);
  if (read.kind === 'invalid') return refuseSettings(output, read.problems);
  if (usage === serveUsage) return await runServe(parsed.args, read.config, output);
  return await runDeliver(read.config, output);
}
