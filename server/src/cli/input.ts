import { createReadStream, fstatSync } from 'node:fs';
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

/** The person's own input cannot be read any further; `cause` says why. */
export class InputFault extends Error {
  override name = 'InputFault';

  constructor(cause: unknown) {
    super('the input cannot be read', { cause });
  }
}

const STANDARD_INPUT = 0;

/** Opens the file or the standard input of a command; an empty stream when it reads nothing. */
export async function openInput(command: Command, args: Arguments): Promise<OpenInputResult> {
  if (command.input === 'none') return open(Readable.from([]), 0);
  if (command.input !== 'operand') {
    return args.has(command.input.switch) ? openStandardInput() : open(Readable.from([]), 0);
  }
  if (args.operand === '-') return openStandardInput();
  try {
    const found = await stat(args.operand);
    if (found.isDirectory()) {
      return { kind: 'failed', reason: `${args.operand} cannot be read: it is a folder` };
    }
    const bytes = createReadStream(args.operand);
    await new Promise<void>((resolve, reject) => {
      bytes.once('ready', resolve);
      bytes.once('error', reject);
    });
    return open(bytes, found.size > 0 ? found.size : null);
  } catch (error) {
    return { kind: 'failed', reason: `${args.operand} cannot be read: ${reasonOf(error)}` };
  }
}

function openStandardInput(): OpenInputResult {
  try {
    // Node reads a folder as if it were empty.
    if (!fstatSync(STANDARD_INPUT).isDirectory()) return open(process.stdin, null);
    return { kind: 'failed', reason: 'standard input cannot be read: it is a folder' };
  } catch (error) {
    return { kind: 'failed', reason: `standard input cannot be read: ${reasonOf(error)}` };
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES') return 'this user may not';
  return error instanceof Error ? error.message : String(error);
}

function open(bytes: Readable, bytesTotal: number | null): OpenInputResult {
  return { kind: 'open', input: { bytes, bytesTotal } };
}
