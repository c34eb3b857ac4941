import pg from 'pg';
import { wordsOf } from '../base/error-words.ts';
import { cutConnection } from '../patches/pg-connection.ts';
import { endClient } from './end-client.ts';
import { isAway } from './fault.ts';
import { ANSWER_MS_MAX, ReadOnlyServer, WriteStatus } from './read-only.ts';

/** Where a server listens: a host name, an address, or the folder of a Unix socket. */
export interface Host {
  readonly host: string;
  readonly port: number;
}

/** No host of `DATABASE_URL` takes writes now. */
export class NoPrimary extends AggregateError {
  override name = 'NoPrimary';
}

interface Cuttable {
  cut(error: Error): void;
}

/**
 * How long a failed search is reused, so that an outage does not flood a standby with connections.
 */
const FAILURE_KEPT_MS = 100;

/**
 * The hosts of `DATABASE_URL`, and which of them is the primary. It is searched for before the
 * first connection and after a lost one, on all hosts at once; the first that takes writes wins. A
 * process connects to one server only: when the primary is found on another host, connections to
 * the old one are cut (decision 0218).
 */
export class Hosts {
  readonly #hosts: readonly (Host & { readonly config: pg.ClientConfig })[];
  readonly #connections = new Map<Cuttable, Host>();
  #primary: Host | null = null;
  #search: Promise<Host> | null = null;

  /** @param configs the settings of a connection to each host. */
  constructor(configs: readonly pg.ClientConfig[]) {
    this.#hosts = configs.map((config) => {
      // Let `pg` parse the settings, so that its defaults apply.
      const { host, port } = new pg.Client(config);
      return { host, port, config };
    });
  }

  /**
   * Where to connect next. A single host is returned in any state.
   *
   * @throws NoPrimary when no host takes writes now; a host's own error when that is permanent,
   * such as a wrong password.
   */
  async find(): Promise<Host> {
    const [first, ...others] = this.#hosts;
    const known = others.length === 0 ? first : this.#primary;
    if (known !== undefined && known !== null) return known;
    if (this.#search === null) {
      const search = this.#searchAll();
      this.#search = search;
      const forget = (): void => {
        this.#search = null;
      };
      search.then(forget, () => setTimeout(forget, FAILURE_KEPT_MS).unref());
    }
    return await this.#search;
  }

  add(connection: Cuttable, host: Host): void {
    this.#connections.set(connection, host);
  }

  remove(connection: Cuttable): void {
    this.#connections.delete(connection);
  }

  /** Notes that a connection failed or was lost: the primary may be on another host by now. */
  doubt(host: Host): void {
    if (this.#primary === host) this.#primary = null;
  }

  /**
   * Notes that a host no longer takes writes, and cuts its connections, including those that only
   * read.
   */
  leave(host: Host, error: Error): void {
    this.doubt(host);
    for (const [connection, its] of this.#connections) if (its === host) connection.cut(error);
  }

  async #searchAll(): Promise<Host> {
    const over = new AbortController();
    try {
      const primary = await Promise.any(
        this.#hosts.map(async (host) => {
          await requireWrites(host, host.config, over.signal);
          return host;
        }),
      );
      this.#primary = primary;
      for (const [connection, host] of this.#connections) {
        if (host !== primary) connection.cut(new ReadOnlyServer('another host is the primary'));
      }
      return primary;
    } catch (error) {
      throw error instanceof AggregateError ? explain(this.#hosts, error.errors) : error;
    } finally {
      over.abort();
    }
  }
}

/** Connects to one host to check that its server takes writes. */
async function requireWrites(
  host: Host,
  config: pg.ClientConfig,
  signal: AbortSignal,
): Promise<void> {
  const client = new pg.Client({ ...config, connectionTimeoutMillis: ANSWER_MS_MAX });
  client.on('error', () => {
    // A failure is thrown below.
  });
  const status = new WriteStatus(client);
  const giveUp = (): void => cutConnection(client);
  signal.addEventListener('abort', giveUp);
  try {
    await client.connect();
    const reason = await status.whyReadOnly();
    if (reason !== null)
      throw new ReadOnlyServer(`${nameOf(host)} does not accept writes: ${reason}`);
  } finally {
    signal.removeEventListener('abort', giveUp);
    void endClient(client);
  }
}

/**
 * One error for all hosts: the first permanent failure, otherwise a list of the failures in the
 * order of the hosts.
 */
export function explain(hosts: readonly Host[], errors: readonly unknown[]): unknown {
  const lasting = errors.find((error) => !isAway(error));
  if (lasting !== undefined) return lasting;
  const reasons = hosts
    .map((host, index) => {
      const error = errors[index];
      return error instanceof ReadOnlyServer ? error.message : `${nameOf(host)}: ${wordsOf(error)}`;
    })
    .join('; ');
  return new NoPrimary(
    errors,
    errors.some((error) => error instanceof ReadOnlyServer)
      ? `no host of DATABASE_URL accepts writes: ${reasons}. Promote a standby, or start the primary`
      : `no database responds at DATABASE_URL: ${reasons}. Check the host and port, and that PostgreSQL is running there`,
  );
}

export function nameOf({ host, port }: Host): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
