import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { endClient } from '../end-client.ts';
import type { Engine } from '../engine.ts';
import { asError } from '../fault.ts';
import { sessionSettings } from '../postgresql-engine.ts';
import { type Binaries, findPackagedBinaries } from './binaries.ts';
import { ClusterUnusable, prepareCluster, SERVICE_ROLE } from './cluster.ts';
import { makeFolder } from './folder.ts';
import { ServerProcess, UsersPipe } from './server-process.ts';
import { SOCKET_PORT } from './settings.ts';

export interface PackagedOptions {
  /** The folder of the cluster: made, with mode 0700, where there is none. */
  readonly folder: string;
  /** True: not durable, and removed with its folder when the last process that uses it has ended. */
  readonly isTemporary?: boolean;
  /** Listen on this TCP port of 127.0.0.1 as well, without a password (tests). */
  readonly port?: number;
  /** Other programs than the packaged ones (tests). */
  readonly binaries?: Binaries;
  /** Connect as the superuser instead of the service's own role. */
  readonly isSuperuser?: boolean;
  /** False: commits are not synced to the disk, though the folder stays (tests). */
  readonly isDurable?: boolean;
  /** Told when the server is lost or cannot be started again, and of what it says of itself then. */
  readonly onFault?: (error: Error) => void;
}

/** Longest wait for a server that answers nothing at all. */
const SILENT_MS_MAX = 30_000;
/** Longest wait for one that says that it is starting (it recovers from a crash) or stopping. */
const BUSY_MS_MAX = 600_000;
/** Longest wait for the server's end at the end of its last user; its last checkpoint takes a second. */
const STOP_MS_MAX = 30_000;
/** After the last user the server begins to stop within milliseconds. When it has not, another user has come. */
const STOP_BEGINS_MS_MAX = 1_000;
const TRY_EVERY_MS = 20;
/** Between two servers that are started while what is left of the one before still ends. */
const OVERTAKEN_MS = 200;
/** Waits between attempts to start a server again. */
const RESTART_MS = { first: 100, max: 5_000 };
/** Lines of the server's log that are kept, to say why it does not start. */
const LINES_KEPT_MAX = 20;

const GUARD_NAME = 'cardport guard';

/**
 * Opens the cluster in a folder: connects to the server that runs on it, or starts one. Any number of processes may do so;
 * the server stops after the last of them. While the process lives a server that was lost is started again.
 *
 * @throws FolderUnusable, ClusterUnusable; NoPackagedPostgresql when this platform has none.
 */
export async function openPackaged(options: PackagedOptions): Promise<PackagedServer> {
  makeFolder(options.folder);
  const server = new PackagedServer(options, options.binaries ?? findPackagedBinaries());
  try {
    await server.start();
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** A running server in a folder of this machine, as one of its users sees it. */
export class PackagedServer implements Engine {
  readonly #options: PackagedOptions;
  readonly #binaries: Binaries;
  readonly #folder: string;
  readonly #pipe: UsersPipe;
  readonly #lines: string[] = [];
  #socket: SocketFolder | null = null;
  #process: ServerProcess | null = null;
  /** Whether that process has taken a connection. */
  #hasServed = false;
  /** A connection that does nothing: its end says that the server is gone. */
  #guard: pg.Client | null = null;
  /** Tells this user's guard from those of others. */
  readonly #guardName = `${GUARD_NAME} ${randomBytes(8).toString('hex')}`;
  #isClosed = false;

  constructor(options: PackagedOptions, binaries: Binaries) {
    this.#options = options;
    this.#binaries = binaries;
    this.#folder = resolve(options.folder);
    this.#pipe = openPipe(this.#folder);
  }

  clientConfig(): pg.ClientConfig {
    this.#socket ??= openSocketFolder(this.#folder);
    const role = this.#options.isSuperuser === true ? 'postgres' : SERVICE_ROLE;
    return {
      ...sessionSettings,
      host: this.#socket.path,
      port: this.#options.port ?? SOCKET_PORT,
      user: role,
      database: SERVICE_ROLE,
      password: '',
      ssl: false,
    };
  }

  /** The process id of the server; null when none runs. */
  get serverPid(): number | null {
    return readPidFile(this.#folder)?.pid ?? null;
  }

  /** Connects the guard, after starting a server where none answers. */
  async start(): Promise<void> {
    const beganMs = performance.now();
    for (;;) {
      const state = await this.#connectGuard();
      if (state === 'connected' || this.#isClosed) return;
      if (state === 'absent') await this.#startServer();
      const waitedMs = performance.now() - beganMs;
      if (waitedMs > (state === 'busy' ? BUSY_MS_MAX : SILENT_MS_MAX)) {
        throw new ClusterUnusable(this.#folder, this.#whyNotStarted('it does not answer'));
      }
      await wait(this.#isOvertaken() ? OVERTAKEN_MS : TRY_EVERY_MS);
    }
  }

  /** Ends the use of the server. When no other process uses it, it is stopped when this resolves. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const isLast = !(await this.#hasOtherUsers());
    if (this.#guard !== null) await endClient(this.#guard);
    this.#pipe.close();
    if (isLast) await this.#waitForStop();
    this.#socket?.close();
  }

  async #connectGuard(): Promise<'connected' | 'busy' | 'absent'> {
    const client = new pg.Client({
      ...this.clientConfig(),
      application_name: this.#guardName,
    });
    client.on('error', ignore);
    try {
      await client.connect();
    } catch (error) {
      await endClient(client);
      return stateOf(error, this.#folder);
    }
    if (this.#isClosed) {
      await endClient(client);
      return 'connected';
    }
    this.#guard = client;
    this.#hasServed = true;
    client.once('end', () => this.#lose(client));
    return 'connected';
  }

  /** Starts a server. When another process does the same, one of the two servers ends at once, because of the other. */
  async #startServer(): Promise<void> {
    if (this.#process?.hasEnded === false) return;
    if (this.#process !== null && !this.#hasServed && !this.#isOvertaken()) {
      const reason = this.#whyNotStarted('it does not start');
      this.#process = null;
      throw new ClusterUnusable(this.#folder, reason);
    }
    const { isTemporary = false, isDurable = !isTemporary, port = null } = this.#options;
    const cluster = await prepareCluster(this.#folder, this.#binaries, isDurable);
    if (this.#isClosed) return;
    this.#lines.length = 0;
    this.#hasServed = false;
    this.#process = new ServerProcess(cluster, this.#pipe, {
      isDurable,
      port,
      removed: isTemporary ? this.#folder : null,
      onLine: (line) => this.#hear(line),
    });
  }

  /** Whether the server ended because another one, or what is left of the one before, still has the folder. */
  #isOvertaken(): boolean {
    return this.#lines.some((line) => /lock file .* already exists|still in use/.test(line));
  }

  #whyNotStarted(otherwise: string): string {
    // Attempts to connect while it starts are logged as fatal too.
    const fatal = this.#lines.filter((line) =>
      /^(?:FATAL|PANIC)(?!: {2}the database sys)/.test(line),
    );
    const reasons = fatal.length > 0 ? fatal : this.#lines;
    return reasons.length === 0 ? otherwise : `${otherwise}: ${reasons.join('; ')}`;
  }

  #hear(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > LINES_KEPT_MAX) this.#lines.shift();
    // What follows from these (a recovery, a start that fails) is reported by the attempts to connect again.
    if (/^(?:PANIC|LOG: {2}server process)/.test(line)) {
      this.#tell(new Error(`PostgreSQL: ${line}`));
    }
  }

  #lose(client: pg.Client): void {
    if (client !== this.#guard || this.#isClosed) return;
    this.#guard = null;
    this.#tell(new Error(`the database in ${this.#folder} was lost: connecting again`));
    void this.#restart();
  }

  async #restart(): Promise<void> {
    let told = '';
    for (let waitMs = RESTART_MS.first; !this.#isClosed;) {
      try {
        await this.start();
        return;
      } catch (error) {
        const { message } = asError(error);
        if (message !== told) this.#tell(asError(error));
        told = message;
      }
      await wait(waitMs);
      waitMs = Math.min(waitMs * 2, RESTART_MS.max);
    }
  }

  #tell(error: Error): void {
    this.#options.onFault?.(error);
  }

  async #hasOtherUsers(): Promise<boolean> {
    try {
      const found = await this.#guard?.query<{ readonly count: string }>(
        `select count(*) from pg_stat_activity
          where application_name like $1 and application_name <> $2`,
        [`${GUARD_NAME} %`, this.#guardName],
      );
      return Number(found?.rows[0]?.count ?? 0) > 0;
    } catch {
      return false;
    }
  }

  async #waitForStop(): Promise<void> {
    const beganMs = performance.now();
    for (;;) {
      const file = readPidFile(this.#folder);
      const waitedMs = performance.now() - beganMs;
      const isDone = this.#process === null ? file === null : this.#process.hasEnded;
      if (isDone || waitedMs > STOP_MS_MAX) return;
      if (file?.isStopping === false && waitedMs > STOP_BEGINS_MS_MAX) return;
      await wait(TRY_EVERY_MS);
    }
  }
}

function openPipe(folder: string): UsersPipe {
  try {
    return new UsersPipe(folder);
  } catch (error) {
    const isDenied = error instanceof Error && 'code' in error && error.code === 'EACCES';
    const reason = isDenied ? 'it belongs to another user' : asError(error).message;
    throw new ClusterUnusable(folder, reason);
  }
}

/** `cannot_connect_now`: the server is starting, recovering or stopping. */
const BUSY_CODES = new Set(['57P01', '57P02', '57P03']);
/** No socket, or one that a server left behind that was killed. */
const ABSENT_CODES = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR']);

function stateOf(error: unknown, folder: string): 'busy' | 'absent' {
  const code = String(Reflect.get(Object(error), 'code') ?? '');
  if (ABSENT_CODES.has(code)) return 'absent';
  if (code === 'EACCES') throw new ClusterUnusable(folder, 'it belongs to another user');
  if (BUSY_CODES.has(code) || !(error instanceof pg.DatabaseError)) return 'busy';
  throw error;
}

/** What the server says of itself in `postmaster.pid`: its process id first, its state last. */
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

/** The folder of the server's socket, by a path that is short enough for a socket's address. */
interface SocketFolder {
  readonly path: string;
  close(): void;
}

/** Longest address of a socket that every system takes (macOS: 104 bytes with the final NUL). */
const ADDRESS_BYTES_MAX = 103;
const SOCKET_NAME = '/.s.PGSQL.65535';

function openSocketFolder(folder: string): SocketFolder {
  const path = join(folder, 'data');
  if (Buffer.byteLength(path + SOCKET_NAME) <= ADDRESS_BYTES_MAX) {
    return { path, close: () => undefined };
  }
  if (process.platform !== 'linux') {
    throw new ClusterUnusable(folder, 'its path is too long for a socket: choose a shorter one');
  }
  // Linux reaches a folder through a descriptor of it, too.
  const descriptor = openSync(folder, 'r');
  return { path: `/proc/self/fd/${descriptor}/data`, close: () => closeSync(descriptor) };
}

function ignore(): void {
  // Nothing to do.
}
