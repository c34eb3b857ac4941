import type { Readable } from 'node:stream';
import type { Config } from '../config.ts';
import { migrate } from '../database/migrate.ts';
import { openStore } from '../store.ts';
import { type Arguments, type Command, exitCodes } from './command.ts';
import { connectToService, runInService } from './control-client.ts';
import { openDeployment } from './deployment.ts';
import { openInput, type OpenInputResult } from './input.ts';
import { showProgress } from './progress.ts';
import { type CommandOutput, messageOf, runCommand } from './run-command.ts';

/** Where a command answers, and what it reads when it is asked to read standard input. */
export interface Streams {
  readonly output: CommandOutput;
  /** Called once, and only for a command that reads it. */
  readonly openStandardInput: () => OpenInputResult;
}

/** What was asked of a command: its words as typed, and as they were read. */
export interface Asked {
  readonly typed: readonly string[];
  readonly args: Arguments;
  readonly isJson: boolean;
}

/** Runs a command where its database is; Ctrl-C stops it at its next batch. Returns the exit code. */
export async function executeCommand(
  command: Command,
  asked: Asked,
  config: Config,
  { output, openStandardInput }: Streams,
): Promise<number> {
  const opened = await openInput(command, asked.args, openStandardInput);
  if (opened.kind === 'failed') {
    output.err(`cardport: ${opened.reason}\n`);
    return exitCodes.failed;
  }
  const onFault = (error: Error): void => output.err(`cardport: ${messageOf(error)}\n`);
  const deployment = await openDeployment(config, onFault);
  if (deployment.kind === 'unfit') {
    output.err(`cardport: ${deployment.reason}\n`);
    opened.input.bytes.destroy();
    return exitCodes.failed;
  }
  const { bytes, finish } = showProgress(opened.input, process.stderr);
  const stop = stopOnSignal(bytes);
  try {
    if (deployment.kind === 'service') {
      stop.signal.addEventListener('abort', () => deployment.socket.destroy());
      return await runInService(deployment.socket, asked.typed, bytes, output);
    }
    await using _store = deployment.store;
    const input = { bytes, signal: stop.signal };
    return await runCommand(command, asked, deployment.context, input, output);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    output.err('cardport: stopped\n');
    return exitCodes.failed;
  } finally {
    finish();
    bytes.destroy();
    stop.release();
  }
}

function stopOnSignal(bytes: Readable): {
  readonly signal: AbortSignal;
  readonly release: () => void;
} {
  const controller = new AbortController();
  const stop = (): void => {
    const reason = new Error('stopped');
    controller.abort(reason);
    bytes.destroy(reason);
  };
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

/** `migrate`: a service that holds the embedded folder migrated it when it started. */
export async function executeMigrate(
  isJson: boolean,
  config: Config,
  { out, err }: CommandOutput,
): Promise<number> {
  let applied: readonly string[] = [];
  const service =
    config.store.kind === 'embedded' ? await connectToService(config.store.folder) : null;
  if (service === null) {
    const onFault = (error: Error): void => err(`cardport: ${messageOf(error)}\n`);
    await using store = await openStore(config, { onFault, onDeath: onFault });
    applied = await migrate(store.engine);
  } else {
    service.destroy();
  }
  const text =
    applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`;
  out(isJson ? `${JSON.stringify({ applied })}\n` : `${text}\n`);
  return exitCodes.done;
}
