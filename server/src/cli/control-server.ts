import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { readArguments } from './arguments.ts';
import { type CommandContext, exitCodes } from './command.ts';
import { findCommand } from './commands.ts';
import { controlSocketFile, openSocketAddress } from './control-socket.ts';
import { encodeFrame, type Frame, readFrames } from './frame.ts';
import { runCommand } from './run-command.ts';

/** Takes commands while the service runs. */
export interface ControlServer {
  /** Takes no more, waits for those under way until `deadlineMs` has passed, then stops them. */
  close(deadlineMs: number): Promise<void>;
}

/** Commands that run at once; a person runs one or two. */
const CONNECTIONS_MAX = 16;

/**
 * Listens on the socket in the embedded folder and runs the commands that come in. Only the folder's owner may connect
 * (mode 0600). Call it while the folder's lock is held: a socket that is there already was left by a killed process.
 */
export async function openControlServer(
  folder: string,
  context: CommandContext,
  onFault: (error: unknown) => void,
): Promise<ControlServer> {
  const file = controlSocketFile(folder);
  rmSync(file, { force: true });
  const address = openSocketAddress(folder);
  const stops = new Map<Socket, AbortController>();
  const server = createServer((socket) => {
    const stop = new AbortController();
    stops.set(socket, stop);
    socket.once('close', () => {
      // The person gave up (Ctrl-C): the command stops at its next batch.
      stop.abort(new Error('the command line left'));
      stops.delete(socket);
    });
    serve(socket, context, stop.signal).catch(onFault);
  });
  server.maxConnections = CONNECTIONS_MAX;
  await listen(server, address.address);
  chmodSync(file, 0o600);
  return {
    close: async (deadlineMs) => {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      const timer = setTimeout(() => {
        for (const socket of stops.keys()) socket.destroy();
      }, deadlineMs);
      await closed;
      clearTimeout(timer);
      rmSync(file, { force: true });
      address[Symbol.dispose]();
    },
  };
}

/** From the first instant the socket is the owner's alone. */
async function listen(server: Server, path: string): Promise<void> {
  const mask = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
  } finally {
    process.umask(mask);
  }
}

async function serve(socket: Socket, context: CommandContext, signal: AbortSignal): Promise<void> {
  const write = (kind: 'o' | 'r' | 'x', text: string): void => {
    if (!socket.destroyed) socket.write(encodeFrame(kind, text));
  };
  socket.on('error', () => {
    // The person left; `close` follows and stops the command.
  });
  const frames = readFrames(socket);
  const first = await frames.next();
  if (first.done === true) return;
  const bytes = new PassThrough();
  bytes.on('error', () => {
    // Whoever reads it is told; one that reads nothing need not be.
  });
  const feeding = feed(frames, bytes);
  const code = await answer(first.value, context, { bytes, signal }, write);
  write('x', String(code));
  bytes.destroy();
  socket.end();
  await feeding;
}

/** Passes the input on at the pace at which the command reads it, so that memory stays bounded. */
async function feed(frames: AsyncIterable<Frame>, bytes: PassThrough): Promise<void> {
  let isWhole = false;
  try {
    for await (const { kind, body } of frames) {
      if (kind === 'e') {
        isWhole = true;
        bytes.end();
      } else if (kind === 'i' && !bytes.destroyed && !bytes.write(body)) {
        await drained(bytes);
      }
    }
  } finally {
    if (!isWhole) bytes.destroy(new Error('the command line left'));
  }
}

async function drained(bytes: PassThrough): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      bytes.off('drain', done);
      bytes.off('close', done);
      resolve();
    };
    bytes.on('drain', done);
    bytes.on('close', done);
  });
}

async function answer(
  first: Frame,
  context: CommandContext,
  input: { readonly bytes: PassThrough; readonly signal: AbortSignal },
  write: (kind: 'o' | 'r', text: string) => void,
): Promise<number> {
  const output = {
    out: (text: string): void => write('o', text),
    err: (text: string): void => write('r', text),
  };
  const typed = parseWords(first);
  const found = typed === null ? undefined : findCommand(typed);
  const asked = found === undefined ? undefined : readArguments(found.command, found.rest);
  if (found === undefined || asked?.kind !== 'arguments') {
    output.err(
      'cardport: the running service is of another version and does not know this command\n',
    );
    return exitCodes.failed;
  }
  return await runCommand(found.command, asked, context, input, output);
}

function parseWords({ kind, body }: Frame): readonly string[] | null {
  if (kind !== 'a') return null;
  try {
    const words: unknown = JSON.parse(body.toString('utf8'));
    if (!Array.isArray(words)) return null;
    return words.every((word) => typeof word === 'string') ? words : null;
  } catch {
    return null;
  }
}
