import { readFileSync } from 'node:fs';
import { readArguments, renderHelp } from './cli/arguments.ts';
import { exitCodes } from './cli/command.ts';
import { findCommand } from './cli/commands.ts';
import { executeCommand, executeMigrate } from './cli/execute.ts';
import { migrateUsage } from './cli/migrate.ts';
import { renderGroup, renderOverview } from './cli/overview.ts';
import { messageOf } from './cli/run-command.ts';
import { runServe, serveUsage } from './cli/serve.ts';
import { readConfigOrExplain } from './main.ts';

const output = {
  out: (text: string): void => void process.stdout.write(text),
  err: (text: string): void => void process.stderr.write(text),
};

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', () => {
    // Whoever read it has left (`| head`): a service goes on, a command ends by itself.
  });
}

/** Runs what was typed; returns the exit code. */
async function run(typed: readonly string[]): Promise<number> {
  const [first = ''] = typed;
  if (['', 'help', '--help', '-h'].includes(first)) {
    return tellUsage(renderOverview(), first !== '');
  }
  if (first === '--version') {
    output.out(`${readVersion()}\n`);
    return exitCodes.done;
  }
  const group = renderGroup(first);
  const [, second] = typed;
  if (group !== null && (second === undefined || ['--help', '-h'].includes(second))) {
    return tellUsage(group, second !== undefined);
  }
  const found = findCommand(typed);
  const usage =
    found?.command ?? [serveUsage, migrateUsage].find((candidate) => candidate.name === first);
  if (usage === undefined) return misuse(`there is no command "${typed.join(' ')}"`, '');
  const asked = readArguments(usage, found?.rest ?? typed.slice(1));
  if (asked.kind === 'misused') return misuse(asked.reason, `${usage.name} `);
  if (asked.kind === 'help') {
    output.out(renderHelp(usage));
    return exitCodes.done;
  }
  if (usage === serveUsage) return await runServe(asked.args, output);
  const config = readConfigOrExplain(process.env, output.err);
  if (config === null) return exitCodes.failed;
  if (found === undefined) return await executeMigrate(asked.isJson, config, output);
  return await executeCommand(found.command, { ...asked, typed }, config, output);
}

/** Prints what there is: the answer when it was asked for, else a refusal. */
function tellUsage(text: string, isAskedFor: boolean): number {
  if (isAskedFor) output.out(text);
  else output.err(text);
  return isAskedFor ? exitCodes.done : exitCodes.misused;
}

function misuse(reason: string, command: string): number {
  output.err(`cardport: ${reason}\nTry: cardport ${command}--help\n`);
  return exitCodes.misused;
}

function readVersion(): string {
  const file = new URL('../package.json', import.meta.url);
  const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const isPackage = typeof parsed === 'object' && parsed !== null && 'version' in parsed;
  return isPackage ? String(parsed.version) : 'unknown';
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  output.err(`cardport: ${messageOf(error)}\n`);
  process.exitCode = exitCodes.failed;
}
