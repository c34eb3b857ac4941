import { describeError } from '../base/describe-error.ts';
import { DatabaseBusy } from '../database/database.ts';
import type { Arguments, Command, CommandContext, CommandInput, CommandResult } from './command.ts';
import { type CommandOutput, exitCodes, refuse, refuseArguments, warn } from './output.ts';

/** Returns the exit code: 0 done, 1 failed, 2 wrong usage, 3 some lines rejected. */
export async function runCommand(
  command: Command,
  args: Arguments,
  context: CommandContext,
  input: Omit<CommandInput, 'tell'>,
  output: CommandOutput,
): Promise<number> {
  try {
    const tell = (line: string): void => warn(output, line);
    const result = await command.run(args, context, { ...input, tell });
    return printResult(result, command.name, output);
  } catch (error) {
    if (input.signal.aborted) return refuse(output, { code: 'stopped', message: 'stopped' });
    return refuseFailure(output, error);
  }
}

export function printResult(result: CommandResult, name: string, output: CommandOutput): number {
  const print = ({ json, text }: { readonly json: object; readonly text: string }): void =>
    output.out(`${output.isJson ? JSON.stringify(json) : text}\n`);
  switch (result.kind) {
    case 'misused':
      return refuseArguments(output, result.reason, name);
    case 'failed':
      if (result.report !== undefined) print(result.report);
      return refuse(output, { code: result.code, message: result.reason });
    case 'done':
    case 'some_rejected':
      print(result);
      return exitCodes[result.kind];
  }
}

export function refuseFailure(output: CommandOutput, error: unknown): number {
  const code = error instanceof DatabaseBusy ? 'database_unavailable' : 'failed';
  return refuse(output, { code, message: describeError(error) });
}
