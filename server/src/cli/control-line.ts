import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { readArguments } from './arguments.ts';
import { type CommandContext, exitCodes } from './command.ts';
import { findCommand } from './commands.ts';
import { encodeFrame, type Frame, readFrames } from './frame.ts';
import { runCommand } from './run-command.ts';

/** Longest wait for a command, and for a person's process to take its answer: both are sent at once. */
const WAIT_MS = 5_000;

/** What a connection waits for: a command, its end, or that its answer was taken. */
export type LineState = 'silent' | 'running' | 'answered';

/** One connection of a person's process, which sends one command. */
export class ControlLine {
  readonly #socket: Socket;
  readonly #stop = new AbortController();
  #state: LineState = 'silent';

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => {
      // The person left; `close` follows and stops the command.
    });
    socket.once('close', () => {
      // The person gave up (Ctrl-C): the command stops at its next batch.
      this.#stop.abort(new Error('the command line left'));
    });
  }

  get state(): LineState {
    return this.#state;
  }

  /** Ends the connection now; a command that runs stops at its next batch. */
  cut(): void {
    this.#socket.destroy();
  }

  /** Runs the command that comes in; when `refusal` says why not, answers that instead. Never waits for ever to begin. */
  async serve(context: CommandContext, refusal: () => string | null): Promise<void> {
    const frames = readFrames(this.#socket);
    const first = await this.#within(WAIT_MS, readFirst(frames));
    if (first === null) {
      this.cut();
      return;
    }
    const bytes = new PassThrough();
    bytes.on('error', () => {
      // Whoever reads it is told; one that reads nothing need not be.
    });
    const feeding = feed(frames, bytes);
    const reason = refusal();
    this.#state = 'running';
    let code: number = exitCodes.failed;
    if (reason === null) code = await this.#answer(first, context, bytes);
    else this.#write('r', `cardport: ${reason}\n`);
    this.#state = 'answered';
    this.#write('x', String(code));
    bytes.destroy();
    this.#socket.end();
    await this.#within(WAIT_MS, feeding);
    this.cut();
  }

  /** Waits for something that a person's process does; when that takes too long the connection is cut. */
  async #within<T>(waitMs: number, done: Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.cut(), waitMs);
    try {
      return await done;
    } finally {
      clearTimeout(timer);
    }
  }

  async #answer(first: Frame, context: CommandContext, bytes: PassThrough): Promise<number> {
    const output = {
      out: (text: string): void => this.#write('o', text),
      err: (text: string): void => this.#write('r', text),
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
    const input = { bytes, signal: this.#stop.signal };
    return await runCommand(found.command, asked, context, input, output);
  }

  #write(kind: 'o' | 'r' | 'x', text: string): void {
    if (!this.#socket.destroyed) this.#socket.write(encodeFrame(kind, text));
  }
}

/** The first frame; null when the person left before it, or sent no frame. */
async function readFirst(frames: AsyncGenerator<Frame, void>): Promise<Frame | null> {
  try {
    const first = await frames.next();
    return first.done === true ? null : first.value;
  } catch {
    return null;
  }
}

/**
 * Passes the input on at the pace at which the command reads it, so that memory stays bounded. However the connection
 * ends, only the reader of the input is told.
 */
async function feed(frames: AsyncIterable<Frame>, bytes: PassThrough): Promise<void> {
  let cause: unknown;
  try {
    for await (const { kind, body } of frames) {
      if (kind === 'e') bytes.end();
      else if (kind === 'i' && bytes.writable && !bytes.write(body)) await drained(bytes);
    }
  } catch (error) {
    cause = error;
  }
  if (!bytes.writableEnded) bytes.destroy(new Error('the command line left', { cause }));
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
