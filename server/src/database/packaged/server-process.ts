import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Cluster } from './cluster.ts';
import { findServerUser, asUser } from './server-user.ts';
import { asArguments, serverEnvironment, serverSettings } from './settings.ts';

/**
 * A named pipe in the cluster's folder. Every process that uses the cluster holds it open for writing, so that the kernel
 * knows when the last of them has ended, in whatever way it ended.
 */
export class UsersPipe {
  readonly #path: string;
  readonly #writer: number;

  constructor(folder: string) {
    this.#path = join(folder, 'users');
    this.#writer = openPipe(this.#path);
  }

  /** Opens the other end: it reads the end of the file once no process has the pipe open for writing. */
  openReader(): number {
    return openSync(this.#path, constants.O_RDONLY);
  }

  close(): void {
    closeSync(this.#writer);
  }
}

/** Opens the pipe for both, because opening it for writing alone fails while it has no reader. */
function openPipe(path: string): number {
  try {
    return openSync(path, constants.O_RDWR);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  // It fails when another process was first.
  spawnSync('mkfifo', ['-m', '600', path]);
  return openSync(path, constants.O_RDWR);
}

const RUNNER = fileURLToPath(new URL('run-server.sh', import.meta.url));

export interface ServerOptions {
  readonly isDurable: boolean;
  readonly port: number | null;
  /** The folder that is removed when the last user has ended; null for none. */
  readonly removed: string | null;
  /** Told of each line of the server's log. */
  readonly onLine: (line: string) => void;
}

/** A server that this process has started. It outlives this process while others use the cluster. */
export class ServerProcess {
  readonly #child: ChildProcess;
  #hasEnded = false;

  constructor({ data, binaries }: Cluster, pipe: UsersPipe, options: ServerOptions) {
    const { isDurable, port, removed, onLine } = options;
    const settings = serverSettings({ major: binaries.major, isDurable, port });
    const command = asUser(findServerUser(data), [
      join(binaries.folder, 'postgres'),
      '-D',
      data,
      ...asArguments(settings),
    ]);
    const reader = pipe.openReader();
    this.#child = spawn('sh', [RUNNER, removed ?? '', ...command], {
      cwd: '/',
      // In a session of its own: neither Ctrl-C nor the end of this process ends it.
      detached: true,
      env: serverEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe', reader],
    });
    closeSync(reader);
    this.#child.unref();
    const { stderr } = this.#child;
    if (stderr === null) throw new Error('the server has no standard error');
    createInterface({ input: stderr }).on('line', onLine);
    // The log of a server that others still use must not keep this process alive.
    if (stderr instanceof Socket) stderr.unref();
    this.#child.once('error', (error) => {
      onLine(`FATAL:  ${error.message}`);
      this.#hasEnded = true;
    });
    this.#child.once('exit', () => {
      this.#hasEnded = true;
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }
}
