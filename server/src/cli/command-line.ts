import { VERSION } from '../base/version.ts';
import { readConfigOrExplain } from '../runtime/run-process.ts';
import { readArguments, renderHelp } from './arguments.ts';
import { exitCodes } from './command.ts';
import { tellMisuse } from './run-command.ts';
import { deliverUsage, runDeliver } from './deliver.ts';
import { emulateUsage, runEmulate } from './emulate.ts';
import { wordsOf } from '../base/error-words.ts';
import type { Surroundings } from './run-typed.ts';
import { runServe, serveUsage } from './serve.ts';

/**
 * Runs the arguments after `cardport` and returns the exit code. Failures are printed in one line,
 * never thrown.
 */
export async function runCommandLine(
  typed: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  try {
    return await run(typed, surroundings);
  } catch (error) {
    surroundings.output.err(`cardport: ${wordsOf(error)}\n`);
    return exitCodes.failed;
  }
}

async function run(typed: readonly string[], surroundings: Surroundings): Promise<number> {
  const { environment, output } = surroundings;
  const [first = '', ...rest] = typed;
  if (first === '--version') {
    output.out(`${VERSION}\n`);
    return exitCodes.done;
  }
  if (first === emulateUsage.name) return await runEmulate(rest, surroundings);
  const usage = [serveUsage, deliverUsage].find(({ name }) => name === first);
  // Loaded on demand, because the service opens its database before it needs these modules.
  if (usage === undefined) {
    const { runTyped } = await import('./run-typed.ts');
    return await runTyped(typed, surroundings);
  }
  const asked = readArguments(usage, rest);
  if (asked.kind === 'misused') return tellMisuse(asked.reason, `${usage.name} `, output);
  if (asked.kind === 'help') {
    output.out(renderHelp(usage));
    return exitCodes.done;
  }
  const config = readConfigOrExplain(environment, output.err);
  if (config === null) return exitCodes.failed;
  if (usage === serveUsage) return await runServe(asked.args, config, output);
  return await runDeliver(config, output);
}
