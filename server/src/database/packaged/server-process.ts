import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Cluster } from './cluster.ts';
import type { LivenessPipe } from './liveness-pipe.ts';
import { commandAsUser, findServerUser } from './server-user.ts';
import { toServerArguments, serverEnvironment } from './settings.ts';

const RUNNER = fileURLToPath(new URL('run-server.sh', import.meta.url));

/** A log message that the operator must see, such as a crash or a file that cannot be written. */
export class ServerMessage extends Error {
  override name = 'ServerMessage';
}

export interface ServerOptions {
  readonly settings: Readonly<Record<string, string>>;
  /** Deleted when the last process that uses the cluster has ended. Null deletes nothing. */
  readonly temporaryFolder: string | null;
  readonly onLine: (line: string) => void;
}

/** The server's process, which outlives this process while other processes use the cluster. */
export class ServerProcess {
  readonly #child: ChildProcess;
  #hasEnded = false;

  constructor({ data, binaries }: Cluster, pipe: LivenessPipe, options: ServerOptions) {
    const { settings, temporaryFolder, onLine } = options;
    const command = commandAsUser(findServerUser(data), [
      join(binaries.folder, 'postgres'),
      '-D',
      data,
      ...toServerArguments(settings),
    ]);
    const reader = pipe.openReader();
    this.#child = spawn('sh', [RUNNER, temporaryFolder ?? '', ...command], {
      cwd: '/',
      // In a separate session, so that neither Ctrl-C nor the end of this process stops it.
      detached: true,
      env: serverEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe', reader],
    });
    closeSync(reader);
    this.#child.unref();
    const { stderr } = this.#child;
    if (stderr === null) throw new Error('the standard error of the server cannot be read');
    createInterface({ input: stderr }).on('line', onLine);
    // The log of a server that other processes use must not keep this process alive.
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
