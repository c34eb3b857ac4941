import { VERSION } from '../base/version.ts';
import { readConfigOrExplain } from '../runtime/run-process.ts';
import { parseArguments, renderHelp } from './arguments.ts';
import { exitCodes } from './command.ts';
import { printMisuse } from './run-command.ts';
import { deliverUsage, runDeliver } from './deliver.ts';
import { emulateUsage, runEmulate } from './emulate.ts';
import { describeError } from '../base/describe-error.ts';
import type { CommandLineContext } from './dispatch-command.ts';
import { runServe, serveUsage } from './serve.ts';

/**
 * Runs the arguments after `cardport` and returns the exit code. Failures are printed in one line,
 * never thrown.
 */
export async function runCommandLine(
  argv: readonly string[],
  context: CommandLineContext,
): Promise<number> {
  try {
    return await run(argv, context);
  } catch (error) {
    context.output.err(`cardport: ${describeError(error)}\n`);
    return exitCodes.failed;
  }
}

async function run(argv: readonly string[], context: CommandLineContext): Promise<number> {
  const { environment, output } = context;
  const [first = '', ...rest] = argv;
  if (first === '--version') {
    output.out(`${VERSION}\n`);
    return exitCodes.done;
  }
  if (first === emulateUsage.name) return await runEmulate(rest, context);
  const usage = [serveUsage, deliverUsage].find(({ name }) => name === first);
  // Loaded on demand, because the service opens its database before it needs these modules.
  if (usage === undefined) {
    const { dispatchCommand } = await import('./dispatch-command.ts');
    return await dispatchCommand(argv, context);
  }
  const parsed = parseArguments(usage, rest);
  if (parsed.kind === 'misused') return printMisuse(parsed.reason, `${usage.name} `, output);
  if (parsed.kind === 'help') {
    output.out(renderHelp(usage));
    return exitCodes.done;
  }
  const config = readConfigOrExplain(environment, output.err);
  if (config === null) return exitCodes.failed;
  if (usage === serveUsage) return await runServe(parsed.args, config, output);
  return await runDeliver(config, output);
}
