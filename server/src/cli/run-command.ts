import { wordsOf } from '../base/error-words.ts';
import {
  type Arguments,
  type Command,
  type CommandContext,
  type CommandInput,
  exitCodes,
} from './command.ts';

/** Where a command's answer goes, and what it reads. */
export interface CommandOutput {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/**
 * Runs a command and prints its answer: the object or the text on `out`, refusals on `err`.
 *
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage, 3 some lines rejected
 */
export async function runCommand(
  command: Command,
  asked: { readonly args: Arguments; readonly isJson: boolean },
  context: CommandContext,
  input: Omit<CommandInput, 'tell'>,
  { out, err }: CommandOutput,
): Promise<number> {
  const tell = (line: string): void => err(`${line}\n`);
  let result;
  try {
    result = await command.run(asked.args, context, { ...input, tell });
  } catch (error) {
    if (input.signal.aborted) {
      tell('cardport: stopped');
      return exitCodes.failed;
    }
    tell(`cardport: ${wordsOf(error)}`);
    return exitCodes.failed;
  }
  switch (result.kind) {
    case 'done':
    case 'some_rejected':
      out(asked.isJson ? `${JSON.stringify(result.json)}\n` : `${result.text}\n`);
      break;
    case 'broken_off':
      out(asked.isJson ? `${JSON.stringify(result.json)}\n` : `${result.text}\n`);
      tell(`cardport: ${result.reason}`);
      break;
    case 'failed':
      tell(`cardport: ${result.reason}`);
      break;
    case 'misused':
      tell(`cardport: ${result.reason}\nTry: cardport ${command.name} --help`);
      break;
  }
  return exitCodes[result.kind];
}
