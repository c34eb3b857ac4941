import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { Arguments, Command } from './command.ts';

/** What a command reads, opened by the process that the person started. */
export interface OpenInput {
  readonly bytes: Readable;
  /** How many bytes there will be; null when that is not known (a pipe). */
  readonly bytesTotal: number | null;
}

export type OpenInputResult =
  | { readonly kind: 'open'; readonly input: OpenInput }
  | { readonly kind: 'failed'; readonly reason: string };

/** Opens the file or the standard input of a command; an empty stream when it reads nothing. */
export async function openInput(command: Command, args: Arguments): Promise<OpenInputResult> {
  if (command.input === 'none') return open(Readable.from([]), 0);
  if (command.input !== 'operand') {
    return args.has(command.input.switch) ? open(process.stdin, null) : open(Readable.from([]), 0);
  }
  if (args.operand === '-') return open(process.stdin, null);
  try {
    const { size } = await stat(args.operand);
    const bytes = createReadStream(args.operand);
    await new Promise<void>((resolve, reject) => {
      bytes.once('ready', resolve);
      bytes.once('error', reject);
    });
    return open(bytes, size > 0 ? size : null);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: 'failed', reason: `${args.operand} cannot be read: ${reason}` };
  }
}

function open(bytes: Readable, bytesTotal: number | null): OpenInputResult {
  return { kind: 'open', input: { bytes, bytesTotal } };
}
