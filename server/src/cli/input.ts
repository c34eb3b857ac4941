import { createReadStream, fstatSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import { errorCodeOf, describeError } from '../base/describe-error.ts';
import type { Arguments, Command } from './command.ts';
import { findFiles, type InputFile } from './files.ts';

export interface OpenInput {
  readonly bytes: Readable;
  /** The files of a command that reads several files. They are opened one after the other. */
  readonly files: readonly InputFile[];
  /** The total number of bytes; null if unknown (a pipe). */
  readonly bytesTotal: number | null;
}

export type OpenInputResult =
  | { readonly kind: 'open'; readonly input: OpenInput }
  | { readonly kind: 'failed'; readonly reason: string };

/** The user's input cannot be read any further; `cause` says why. */
export class InputFault extends Error {
  override name = 'InputFault';

  constructor(cause: unknown) {
    super('the input cannot be read', { cause });
  }
}

const STANDARD_INPUT = 0;

/**
 * Opens a command's file, or its standard input with `openStandard`. Returns an empty stream for a
 * command that reads nothing.
 */
export async function openInput(
  command: Command,
  args: Arguments,
  openStandard: () => OpenInputResult,
): Promise<OpenInputResult> {
  if (command.input === undefined) return open(Readable.from([]), 0);
  if (typeof command.input === 'object' && 'files' in command.input) {
    return await openFiles(command.input.files, args, openStandard);
  }
  if (command.input !== 'operand') {
    return args.has(command.input.switch) ? openStandard() : open(Readable.from([]), 0);
  }
  if (args.operand === '-') return openStandard();
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

/** Checks that all files named by options and operands can be read, before reading the first. */
async function openFiles(
  options: readonly string[],
  args: Arguments,
  openStandard: () => OpenInputResult,
): Promise<OpenInputResult> {
  const named = [
    ...options.flatMap((option) => args.list(option).map((path) => ({ option, path }))),
    ...args.operands.map((path) => ({ option: null, path })),
  ];
  if (named.filter(({ path }) => path === '-').length > 1) {
    return { kind: 'failed', reason: 'standard input can be read only once' };
  }
  const files: InputFile[] = [];
  let bytesTotal: number | null = 0;
  for (const { option, path } of named) {
    if (path === '-') {
      const opened = openStandard();
      if (opened.kind === 'failed') return opened;
      files.push({ option, name: 'standard input', open: () => opened.input.bytes });
      bytesTotal = null;
      continue;
    }
    try {
      for (const found of await findFiles(path)) {
        files.push({ option, name: found.path, open: () => createReadStream(found.path) });
        if (bytesTotal !== null) bytesTotal = found.bytes > 0 ? bytesTotal + found.bytes : null;
      }
    } catch (error) {
      return { kind: 'failed', reason: `${path} cannot be read: ${reasonOf(error)}` };
    }
  }
  return { kind: 'open', input: { bytes: Readable.from([]), files, bytesTotal } };
}

export function openStandardInput(): OpenInputResult {
  try {
    // Node would read a folder as an empty file.
    if (!fstatSync(STANDARD_INPUT).isDirectory()) return open(process.stdin, null);
    return { kind: 'failed', reason: 'standard input cannot be read: it is a folder' };
  } catch (error) {
    return { kind: 'failed', reason: `standard input cannot be read: ${reasonOf(error)}` };
  }
}

/** Prompts on standard error, so that standard output has only the result. */
export async function askOnTerminal(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

function reasonOf(error: unknown): string {
  if (errorCodeOf(error) === 'ENOENT') return 'the file does not exist';
  if (errorCodeOf(error) === 'EACCES') return 'permission denied';
  return describeError(error);
}

function open(bytes: Readable, bytesTotal: number | null): OpenInputResult {
  return { kind: 'open', input: { bytes, files: [], bytesTotal } };
}
