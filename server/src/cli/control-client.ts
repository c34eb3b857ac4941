import { connect, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { FolderUnusable } from '../database/pglite-engine.ts';
import { exitCodes } from './command.ts';
import { openSocketAddress } from './control-socket.ts';
import { encodeFrame, readFrames } from './frame.ts';
import { InputFault } from './input.ts';
import type { CommandOutput } from './run-command.ts';

/**
 * No socket, or one that a killed process left behind; or what is there is no folder, which is told when it is taken.
 */
const ABSENT = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG']);

/** Connects to the service that runs on a folder; null when none does. */
export async function connectToService(folder: string): Promise<Socket | null> {
  using address = openAddress(folder);
  if (address === null) return null;
  const socket = connect(address.address);
  return await new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error) => {
      const code = 'code' in error ? String(error.code) : '';
      if (ABSENT.has(code)) {
        resolve(null);
        return;
      }
      const isDenied = code === 'EACCES';
      reject(isDenied ? new FolderUnusable(folder, 'this user may not use its socket') : error);
    });
  });
}

function openAddress(folder: string): ReturnType<typeof openSocketAddress> | null {
  try {
    return openSocketAddress(folder);
  } catch {
    // The folder does not exist yet.
    return null;
  }
}

/** Runs a command inside the service at the other end of `socket`; returns its exit code. */
export async function runInService(
  socket: Socket,
  typed: readonly string[],
  bytes: Readable,
  { out, err }: CommandOutput,
): Promise<number> {
  let isAnswered = false;
  const inputFaults: InputFault[] = [];
  // Our own input, not the service: what it was sent so far it keeps.
  bytes.once('error', (error) => inputFaults.push(new InputFault(error)));
  socket.write(encodeFrame('a', JSON.stringify(typed)));
  const sending = send(socket, bytes).catch((error: unknown) => {
    // After the answer nobody reads the rest of the input any more.
    if (!isAnswered) socket.destroy(error instanceof Error ? error : undefined);
  });
  let code: number = exitCodes.failed;
  try {
    for await (const { kind, body } of readFrames(socket)) {
      if (kind === 'o') out(body.toString('utf8'));
      if (kind === 'r') err(body.toString('utf8'));
      if (kind === 'x') {
        isAnswered = true;
        code = Number(body.toString('latin1'));
        break;
      }
    }
  } catch (error) {
    throw (
      inputFaults[0] ?? new Error('the running service ended before it answered', { cause: error })
    );
  } finally {
    bytes.destroy();
    socket.destroy();
    await sending;
  }
  if (!isAnswered) throw new Error('the running service ended before it answered');
  return code;
}

/** At the pace at which the service reads. */
async function send(socket: Socket, bytes: Readable): Promise<void> {
  for await (const chunk of bytes) {
    const body: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    const isTaken = socket.write(encodeFrame('i', body));
    if (!isTaken) await new Promise<void>((resolve) => onceEither(socket, resolve));
  }
  socket.write(encodeFrame('e'));
}

function onceEither(socket: Socket, done: () => void): void {
  const settle = (): void => {
    socket.off('drain', settle);
    socket.off('close', settle);
    done();
  };
  socket.on('drain', settle);
  socket.on('close', settle);
}
