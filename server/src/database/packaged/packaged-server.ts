import { readFileSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { errorCodeOf } from '../../base/describe-error.ts';
import { closeClient } from '../close-client.ts';
import type { Engine } from '../engine.ts';
import { asError } from '../errors.ts';
import { sessionSettings } from '../postgresql-engine.ts';
import { type Binaries, findPackagedBinaries } from './binaries.ts';
import { ClusterUnusable, isRunning, prepareCluster, SERVICE_ROLE } from './cluster.ts';
import { makeFolder } from '../data-folder.ts';
import { LivenessPipe } from './liveness-pipe.ts';
import { ServerMessage, ServerProcess } from './server-process.ts';
import { serverSettings, NON_DURABLE_SETTINGS } from './settings.ts';
import { openSocketFolder, type SocketFolder } from './socket-folder.ts';

export interface PackagedOptions {
  /** The folder of the cluster; created with mode 0700 if missing. */
  readonly folder: string;
  /** A temporary cluster is not durable, and is deleted when its last process has ended. */
  readonly isTemporary?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
  readonly binaries?: Binaries;
  readonly silentMsMax?: number;
  /** Connects as a superuser instead of the service's role. */
  readonly isSuperuser?: boolean;
  /** Called when the server is lost or cannot restart, and with its log lines after a crash. */
  readonly onFault?: (error: Error) => void;
}

/** The time limit for a server that accepts no connection. */
const SILENT_MS_MAX = 30_000;
/** The time limit for a server that is starting (recovering from a crash) or stopping. */
const BUSY_MS_MAX = 600_000;
/** The final checkpoint takes a second. */
const STOP_MS_MAX = 30_000;
const STOP_BEGINS_MS_MAX = 1_000;
const RETRY_EVERY_MS = 20;
const LOCKED_RETRY_EVERY_MS = 200;
const RESTART_MS = { first: 100, max: 5_000 };
/** Replaces the server's message about a full disk, which only names a temporary file. */
const NO_SPACE =
  'no space left on device. Free some space: committed data is safe, and the database will restart';
/** How many of the server's last log lines are kept, to report why it does not start. */
const LOG_LINES_MAX = 20;

/**
 * Connects to the server of the cluster in a folder. Starts one if none runs, and again if it is
 * lost. Several processes may use the server, which stops after the last of them.
 * @throws FolderUnusable, ClusterUnusable, NoPackagedPostgresql
 */
export async function openPackaged(options: PackagedOptions): Promise<PackagedServer> {
  makeFolder(options.folder);
  const server = new PackagedServer(options, options.binaries ?? findPackagedBinaries());
  try {
    await server.start();
    return server;
  } catch (error) {
    await server.close();
    if (options.isTemporary === true) rmSync(options.folder, { recursive: true, force: true });
    throw error;
  }
}

export class PackagedServer implements Engine {
  readonly #options: PackagedOptions;
  readonly #binaries: Binaries;
  readonly #folder: string;
  readonly #pipe: LivenessPipe;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #logLines: string[] = [];
  #lockedBy = '';
  #lastRefusal = '';
  #socket: SocketFolder | null = null;
  #process: ServerProcess | null = null;
  #hasServed = false;
  /** An idle connection. When it ends, the server is gone. */
  #monitor: pg.Client | null = null;
  // Before the first connection, this folder may be a copy of another, whose `postmaster.pid` was
  // copied too.
  #wasConnected = false;
  #isClosed = false;

  constructor(options: PackagedOptions, binaries: Binaries) {
    this.#options = options;
    this.#binaries = binaries;
    this.#folder = resolve(options.folder);
    this.#settings = {
      ...serverSettings(binaries.major),
      ...(options.isTemporary === true ? NON_DURABLE_SETTINGS : {}),
      ...options.settings,
    };
    this.#pipe = openPipe(this.#folder);
  }

  clientConfig(): pg.ClientConfig {
    this.#socket ??= openSocketFolder(this.#folder);
    const role = this.#options.isSuperuser === true ? 'postgres' : SERVICE_ROLE;
    return {
      ...sessionSettings,
      host: this.#socket.path,
      port: Number(this.#settings['port']),
      user: role,
      database: SERVICE_ROLE,
      password: '',
      ssl: false,
    };
  }

  // With the creation time, because a copy may get the inode of the folder that it replaces.
  get folderId(): string {
    const { ino, birthtimeNs } = statSync(join(this.#folder, 'data'), { bigint: true });
    return `${ino}.${birthtimeNs}`;
  }

  get serverPid(): number | null {
    return readPidFile(this.#folder)?.pid ?? null;
  }

  /** Connects the monitor. If no server responds, starts one first. */
  async start(): Promise<void> {
    const startedMs = performance.now();
    while (!this.#isClosed) {
      const state = await this.#connectMonitor();
      if (state === 'connected') return;
      if (state === 'absent') await this.#startServer();
      const waitedMs = performance.now() - startedMs;
      const silentMsMax = this.#options.silentMsMax ?? SILENT_MS_MAX;
      if (waitedMs > (state === 'busy' ? BUSY_MS_MAX : silentMsMax)) {
        throw new ClusterUnusable(this.#folder, this.#whyNoAnswer());
      }
      await wait(this.#isLockedByAnother() ? LOCKED_RETRY_EVERY_MS : RETRY_EVERY_MS);
    }
  }

  /** Resolves when the server has stopped, unless another process uses it. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#monitor !== null) await closeClient(this.#monitor);
    this.#pipe.close();
    if (!LivenessPipe.isUsed(this.#folder)) await this.#waitForStop();
    this.#socket?.close();
  }

  async #connectMonitor(): Promise<'connected' | ConnectFailure> {
    const client = new pg.Client({
      ...this.clientConfig(),
      application_name: 'cardport monitor',
    });
    client.on('error', ignore);
    try {
      await client.connect();
    } catch (error) {
      await closeClient(client);
      this.#lastRefusal = asError(error).message;
      return classifyConnectError(error, this.#folder);
    }
    if (this.#isClosed) {
      await closeClient(client);
      return 'connected';
    }
    this.#monitor = client;
    this.#hasServed = true;
    this.#wasConnected = true;
    client.once('end', () => this.#handleLostMonitor(client));
    return 'connected';
  }

  // If two processes start a server, PostgreSQL's lock file makes one of the servers exit.
  async #startServer(): Promise<void> {
    if (this.#process?.hasEnded === false) return;
    if (this.#process !== null && !this.#hasServed && !this.#isLockedByAnother()) {
      const reason = this.#whyNotStarted('the server does not start');
      this.#process = null;
      throw new ClusterUnusable(this.#folder, reason);
    }
    const { isTemporary = false } = this.#options;
    const cluster = await prepareCluster(this.#folder, this.#binaries, !isTemporary, (notice) =>
      this.#reportFault(notice),
    );
    if (this.#isClosed) return;
    if (this.#isLockedByAnother()) this.#lockedBy = this.#logLines.join('; ');
    this.#logLines.length = 0;
    this.#hasServed = false;
    this.#process = new ServerProcess(cluster, this.#pipe, {
      settings: this.#settings,
      temporaryFolder: isTemporary ? this.#folder : null,
      onLine: (line) => this.#handleLogLine(line),
    });
  }

  // Another server, or a remaining process of the previous server, still locks the folder.
  #isLockedByAnother(): boolean {
    return this.#logLines.some((line) => /lock file .* already exists|still in use/.test(line));
  }

  #whyNotStarted(otherwise: string): string {
    // A starting server also logs refused connections as fatal.
    const fatal = this.#logLines.filter((line) =>
      /^(?:FATAL|PANIC)(?!: {2}the database sys)/.test(line),
    );
    const reasons = fatal.length > 0 ? fatal : this.#logLines;
    if (reasons.some((line) => line.includes('No space left on device'))) return NO_SPACE;
    return reasons.length === 0 ? otherwise : `${otherwise}: ${reasons.join('; ')}`;
  }

  #whyNoAnswer(): string {
    if (this.#lockedBy === '') {
      return this.#whyNotStarted(`the server does not respond (${this.#lastRefusal})`);
    }
    return (
      `PostgreSQL reports that the folder is in use: ${this.#lockedBy}. If that process is not PostgreSQL, ` +
      `remove ${join(this.#folder, 'data/postmaster.pid')}`
    );
  }

  #handleLogLine(line: string): void {
    this.#logLines.push(line);
    if (this.#logLines.length > LOG_LINES_MAX) this.#logLines.shift();
    // Report the crash only: the attempts to reconnect report what follows it, such as a failed
    // start.
    if (/^(?:PANIC|LOG: {2}server process)/.test(line)) {
      this.#reportFault(new ServerMessage(line));
    }
  }

  #handleLostMonitor(client: pg.Client): void {
    if (client !== this.#monitor || this.#isClosed) return;
    this.#monitor = null;
    this.#reportFault(
      new Error(`lost the connection to the database in ${this.#folder}; reconnecting`),
    );
    void this.#restart();
  }

  async #restart(): Promise<void> {
    let lastReported = '';
    for (let waitMs = RESTART_MS.first; !this.#isClosed;) {
      try {
        await this.start();
        return;
      } catch (error) {
        const { message } = asError(error);
        if (message !== lastReported) this.#reportFault(asError(error));
        lastReported = message;
      }
      await wait(waitMs, undefined, { ref: false });
      waitMs = Math.min(waitMs * 2, RESTART_MS.max);
    }
  }

  #reportFault(error: Error): void {
    this.#options.onFault?.(error);
  }

  async #waitForStop(): Promise<void> {
    const startedMs = performance.now();
    for (let isStopRequested = false; ;) {
      const file = this.#wasConnected ? readPidFile(this.#folder) : null;
      const isGone = file === null || !isRunning(file.pid);
      const waitedMs = performance.now() - startedMs;
      // This process's server may have ended because another server locked the folder first.
      if ((isGone && this.#process?.hasEnded !== false) || waitedMs > STOP_MS_MAX) return;
      if (file?.isStopping === false && waitedMs > STOP_BEGINS_MS_MAX) {
        if (LivenessPipe.isUsed(this.#folder)) return;
        // The script that watches the pipe was killed, so the last process stops the server.
        if (!isStopRequested) stopServer(file.pid);
        isStopRequested = true;
      }
      await wait(RETRY_EVERY_MS);
    }
  }
}

function openPipe(folder: string): LivenessPipe {
  try {
    return new LivenessPipe(folder);
  } catch (error) {
    const isDenied = errorCodeOf(error) === 'EACCES';
    const reason = isDenied ? 'the folder belongs to another user' : asError(error).message;
    throw new ClusterUnusable(folder, reason);
  }
}

/** The server is starting, recovering or stopping. */
const BUSY_CODES = new Set(['57P01', '57P02', '57P03']);
const TOO_MANY_CONNECTIONS = '53300';
const ABSENT_CODES = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR']);

// `absent`: there is no server. `busy`: it is starting or stopping. `silent`: it does not respond,
// or has too many connections.
type ConnectFailure = 'absent' | 'busy' | 'silent';

function classifyConnectError(error: unknown, folder: string): ConnectFailure {
  const code = errorCodeOf(error);
  if (ABSENT_CODES.has(code)) return 'absent';
  if (code === 'EACCES') throw new ClusterUnusable(folder, 'the folder belongs to another user');
  if (BUSY_CODES.has(code)) return 'busy';
  if (error instanceof pg.DatabaseError && code !== TOO_MANY_CONNECTIONS) throw error;
  return 'silent';
}

// Reads the file that PostgreSQL keeps while it runs: line 1 is the process id, line 8 the state.
function readPidFile(
  folder: string,
): { readonly pid: number; readonly isStopping: boolean } | null {
  try {
    const lines = readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), isStopping: lines[7]?.trim() === 'stopping' };
  } catch {
    return null;
  }
}

function stopServer(pid: number): void {
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    if (isRunning(pid)) throw error;
  }
}

function ignore(): void {}
