import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import type { CommandContext } from './command.ts';
import { ControlLine } from './control-line.ts';
import { controlSocketFile, openSocketAddress } from './control-socket.ts';

/** Takes commands while the service runs. */
export interface ControlServer {
  /**
   * Takes no more, waits for the commands under way until `deadlineMs` has passed, then stops them. False when it
   * stopped some. Called again it tells the same.
   */
  close(deadlineMs: number): Promise<boolean>;
  /** Connections, and how many of them have a command that runs. */
  readonly connections: number;
  readonly running: number;
}

/** Commands that run at once; a person runs one or two. */
export const COMMANDS_MAX = 16;
/** Connections at once: those of commands, and as many that have sent none yet or are told that there are too many. */
const CONNECTIONS_MAX = 4 * COMMANDS_MAX;

/**
 * Listens on the socket in the embedded folder and runs the commands that come in. Only the folder's owner may connect
 * (mode 0600). Call it while the folder's lock is held: a socket that is there already was left by a killed process.
 */
export async function openControlServer(
  folder: string,
  context: CommandContext,
  onFault: (error: unknown) => void,
): Promise<ControlServer> {
  await using stack = new AsyncDisposableStack();
  const file = controlSocketFile(folder);
  rmSync(file, { force: true });
  const { address } = stack.use(openSocketAddress(folder));
  const lines = new Set<ControlLine>();
  const countRunning = (): number =>
    [...lines].reduce((count, { state }) => (state === 'running' ? count + 1 : count), 0);
  const findRefusal = (): string | null =>
    countRunning() < COMMANDS_MAX
      ? null
      : `too many commands at once: ${COMMANDS_MAX} run in the service`;
  const server = createServer((socket) => {
    const line = new ControlLine(socket);
    lines.add(line);
    socket.once('close', () => lines.delete(line));
    line.serve(context, findRefusal).catch((error: unknown) => {
      line.cut();
      onFault(error);
    });
  });
  server.maxConnections = CONNECTIONS_MAX;
  await listen(server, address);
  let closing: Promise<boolean> | null = null;
  const close = async (deadlineMs: number): Promise<boolean> =>
    await (closing ??= closeServer(server, lines, deadlineMs));
  stack.defer(async () => {
    await close(0);
    rmSync(file, { force: true });
  });
  chmodSync(file, 0o600);
  const opened = stack.move();
  return {
    get connections() {
      return lines.size;
    },
    get running() {
      return countRunning();
    },
    close: async (deadlineMs) => {
      const isClean = await close(deadlineMs);
      await opened.disposeAsync();
      return isClean;
    },
  };
}

async function closeServer(
  server: Server,
  lines: ReadonlySet<ControlLine>,
  deadlineMs: number,
): Promise<boolean> {
  let isClean = true;
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  for (const line of lines) {
    if (line.state === 'silent') line.cut();
  }
  const timer = setTimeout(() => {
    for (const line of lines) {
      if (line.state === 'running') isClean = false;
      line.cut();
    }
  }, deadlineMs);
  await closed;
  clearTimeout(timer);
  return isClean;
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
