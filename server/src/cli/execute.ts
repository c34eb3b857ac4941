import { addAbortSignal, type Readable } from 'node:stream';
import type { Config } from '../config/config.ts';
import type { Arguments, Command, CommandInput } from './command.ts';
import { openDeployment } from './deployment.ts';
import { openInput, type OpenInputResult } from './input.ts';
import { Progress, type Terminal } from './progress.ts';
import { describeError } from '../base/describe-error.ts';
import { type CommandOutput, refuse, warn } from './output.ts';
import { runCommand } from './run-command.ts';

export interface CommandStreams {
  readonly output: CommandOutput;
  /** Called once, and only for a command that reads standard input. */
  readonly openStandardInput: () => OpenInputResult;
  readonly ask: CommandInput['ask'];
}

const SILENT: Terminal = { isTTY: false, write: () => undefined };

/** Runs a command on its database and returns the exit code. Ctrl-C stops it at its next batch. */
export async function executeCommand(
  command: Command,
  args: Arguments,
  config: Config,
  { output, openStandardInput, ask }: CommandStreams,
): Promise<number> {
  const opened = await openInput(command, args, openStandardInput);
  if (opened.kind === 'failed') {
    return refuse(output, { code: 'unreadable_input', message: opened.reason });
  }
  const onFault = (error: Error): void => warn(output, `cardport: ${describeError(error)}`);
  const { bytes, files, bytesTotal } = opened.input;
  const deployment = await openDeployment(config, command, onFault);
  if (deployment.kind === 'unfit') {
    bytes.destroy();
    return refuse(output, { code: deployment.code, message: deployment.reason });
  }
  // With --json, a program reads standard error, unless standard error is a terminal.
  const terminal = output.isJson && !process.stderr.isTTY ? SILENT : process.stderr;
  const progress = new Progress(bytesTotal, terminal);
  const stop = stopOnSignal();
  const read = (stream: Readable): Readable => addAbortSignal(stop.signal, progress.count(stream));
  try {
    await using _store = deployment.store;
    const input = {
      bytes: read(bytes),
      files: files.map(({ open, ...file }) => ({ ...file, open: () => read(open()) })),
      signal: stop.signal,
      // With --json the caller is a program, which cannot answer.
      ask: output.isJson ? null : ask,
    };
    return await runCommand(command, args, deployment.context, input, output);
  } finally {
    progress.finish();
    bytes.destroy();
    stop.release();
  }
}

function stopOnSignal(): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController();
  const stop = (): void => controller.abort(new Error('stopped'));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  return {
    signal: controller.signal,
    release: () => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}
