import { exitCodes } from './command.ts';
import type { CommandOutput } from './run-command.ts';

/** Says what is wrong with the words that were typed, and where help is; returns the exit code. `command` ends in a space. */
export function tellMisuse(reason: string, command: string, { err }: CommandOutput): number {
  err(`cardport: ${reason}\nTry: cardport ${command}--help\n`);
  return exitCodes.misused;
}
