import { describeError } from '../base/describe-error.ts';
import {
  type Arguments,
  type Command,
  type CommandContext,
  type CommandInput,
  exitCodes,
} from './command.ts';

/** Where a command's output goes. */
export interface CommandOutput {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/**
 * Runs a command and prints its result: the object or the text on `out`, refusals on `err`.
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage, 3 some lines rejected
 */
export async function runCommand(
  command: Command,
  parsed: { readonly args: Arguments; readonly isJson: boolean },
  context: CommandContext,
  input: Omit<CommandInput, 'tell'>,
  { out, err }: CommandOutput,
): Promise<number> {
  const tell = (line: string): void => err(`${line}\n`);
  let result;
  try {
    result = await command.run(parsed.args, context, { ...input, tell });
  } catch (error) {
    tell(`cardport: ${input.signal.aborted ? 'stopped' : describeError(error)}`);
    return exitCodes.failed;
  }
  if (result.kind === 'misused') {
    return printMisuse(result.reason, `${command.name} `, { out, err });
  }
  if ('json' in result) out(`${parsed.isJson ? JSON.stringify(result.json) : result.text}\n`);
  if ('reason' in result) tell(`cardport: ${result.reason}`);
  return exitCodes[result.kind];
}

/**
 * Prints what is wrong with the arguments and how to get help; returns the exit code. `command`
 * ends in a space.
 */
export function printMisuse(reason: string, command: string, { err }: CommandOutput): number {
  err(`cardport: ${reason}\nTry: cardport ${command}--help\n`);
  return exitCodes.misused;
}
