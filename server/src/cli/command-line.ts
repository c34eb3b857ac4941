import { VERSION } from '../base/version.ts';
import { readConfigOrExplain } from '../main.ts';
import { readArguments, renderHelp } from './arguments.ts';
import { exitCodes } from './command.ts';
import { findCommand } from './commands.ts';
import { deliverUsage, runDeliver } from './deliver.ts';
import { executeCommand, executeMigrate, type Streams } from './execute.ts';
import { migrateUsage } from './migrate.ts';
import { renderGroup, renderOverview } from './overview.ts';
import { type CommandOutput, messageOf } from './run-command.ts';
import { runServe, serveUsage } from './serve.ts';

/** What of its process a command line uses; its signals it finds itself. */
export interface Surroundings extends Streams {
  /** The settings, as docs/configuration.md lists them. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Runs what was typed after `cardport`; returns the exit code. What it cannot do is told in one line, never thrown. */
export async function runCommandLine(
  typed: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  try {
    return await run(typed, surroundings);
  } catch (error) {
    surroundings.output.err(`cardport: ${messageOf(error)}\n`);
    return exitCodes.failed;
  }
}

async function run(
  typed: readonly string[],
  { environment, output, openStandardInput }: Surroundings,
): Promise<number> {
  const [first = ''] = typed;
  if (['', 'help', '--help', '-h'].includes(first)) {
    return tellUsage(renderOverview(), first !== '', output);
  }
  if (first === '--version') {
    output.out(`${VERSION}\n`);
    return exitCodes.done;
  }
  const group = renderGroup(first);
  const [, second] = typed;
  if (group !== null && (second === undefined || ['--help', '-h'].includes(second))) {
    return tellUsage(group, second !== undefined, output);
  }
  const found = findCommand(typed);
  const usage =
    found?.command ??
    [serveUsage, deliverUsage, migrateUsage].find((candidate) => candidate.name === first);
  if (usage === undefined) return misuse(`there is no command "${typed.join(' ')}"`, '', output);
  const asked = readArguments(usage, found?.rest ?? typed.slice(1));
  if (asked.kind === 'misused') return misuse(asked.reason, `${usage.name} `, output);
  if (asked.kind === 'help') {
    output.out(renderHelp(usage));
    return exitCodes.done;
  }
  const config = readConfigOrExplain(environment, output.err);
  if (config === null) return exitCodes.failed;
  if (usage === serveUsage) return await runServe(asked.args, config, output);
  if (usage === deliverUsage) return await runDeliver(config, output);
  if (found === undefined) return await executeMigrate(asked.isJson, config, output);
  const order = { ...asked, typed };
  return await executeCommand(found.command, order, config, { output, openStandardInput });
}

/** Prints what there is: the answer when it was asked for, else a refusal. */
function tellUsage(text: string, isAskedFor: boolean, { out, err }: CommandOutput): number {
  if (isAskedFor) out(text);
  else err(text);
  return isAskedFor ? exitCodes.done : exitCodes.misused;
}

function misuse(reason: string, command: string, { err }: CommandOutput): number {
  err(`cardport: ${reason}\nTry: cardport ${command}--help\n`);
  return exitCodes.misused;
}
