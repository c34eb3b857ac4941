import { addAbortSignal, type Readable } from 'node:stream';
import type { Config } from '../config/config.ts';
import { type Arguments, type Command, exitCodes } from './command.ts';
import { openDeployment } from './deployment.ts';
import { openInput, type OpenInputResult } from './input.ts';
import { Progress } from './progress.ts';
import { describeError } from '../base/describe-error.ts';
import { type CommandOutput, runCommand } from './run-command.ts';

export interface CommandStreams {
  readonly output: CommandOutput;
  /** Called once, and only for a command that reads it. */
  readonly openStandardInput: () => OpenInputResult;
}

export interface ParsedArguments {
  readonly args: Arguments;
  readonly isJson: boolean;
}

/** Runs a command on its database and returns the exit code. Ctrl-C stops it at its next batch. */
export async function executeCommand(
  command: Command,
  parsed: ParsedArguments,
  config: Config,
  { output, openStandardInput }: CommandStreams,
): Promise<number> {
  const opened = await openInput(command, parsed.args, openStandardInput);
  if (opened.kind === 'failed') {
    output.err(`cardport: ${opened.reason}\n`);
    return exitCodes.failed;
  }
  const onFault = (error: Error): void => output.err(`cardport: ${describeError(error)}\n`);
  const { bytes, files, bytesTotal } = opened.input;
  const deployment = await openDeployment(config, command.skipsSchemaCheck === true, onFault);
  if (deployment.kind === 'unfit') {
    output.err(`cardport: ${deployment.reason}\n`);
    bytes.destroy();
    return exitCodes.failed;
  }
  const progress = new Progress(bytesTotal, process.stderr);
  const stop = stopOnSignal();
  const read = (stream: Readable): Readable => addAbortSignal(stop.signal, progress.count(stream));
  try {
    await using _store = deployment.store;
    const input = {
      bytes: read(bytes),
      files: files.map(({ open, ...file }) => ({ ...file, open: () => read(open()) })),
      signal: stop.signal,
    };
    return await runCommand(command, parsed, deployment.context, input, output);
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
