import pg from 'pg';
import { wordsOf } from '../base/error-words.ts';
import { cutConnection } from '../patches/pg-connection.ts';
import { endClient } from './end-client.ts';
import { isAway } from './fault.ts';
import { ANSWER_MS_MAX, ReadOnlyServer, WriteStatus } from './read-only.ts';

/** Where a server listens: a name, an address, or the folder of a Unix socket. */
export interface Host {
  readonly host: string;
  readonly port: number;
}

/** No host of `DATABASE_URL` has a server that takes writes now. */
export class NoPrimary extends AggregateError {
  override name = 'NoPrimary';
}

interface Cuttable {
  cut(error: Error): void;
}

/** How long a failed search answers for those that follow, so that an outage does not flood a standby with connections. */
const FAILURE_KEPT_MS = 100;

/**
 * The hosts of `DATABASE_URL`, and which of them has the primary. It is looked for before the first connection and after
 * a connection was lost, on all hosts at once; the first that takes writes is it. All connections of a process are to one
 * server: those to another are cut when the primary is found elsewhere (decision 0218).
 */
export class Hosts {
  readonly #hosts: readonly (Host & { readonly config: pg.ClientConfig })[];
  readonly #connections = new Map<Cuttable, Host>();
  #primary: Host | null = null;
  #search: Promise<Host> | null = null;

  /** @param configs the settings of a connection to each host. */
  constructor(configs: readonly pg.ClientConfig[]) {
    this.#hosts = configs.map((config) => {
      // How `pg` reads it, its defaults included.
      const { host, port } = new pg.Client(config);
      return { host, port, config };
    });
  }

  /**
   * Where to connect next. With one host it is that one, whatever its state.
   *
   * @throws NoPrimary when no host takes writes now; the error of a host that will never do so, such as a wrong password.
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

  /** A connection to a host failed or was lost: the primary may be elsewhere by now. */
  doubt(host: Host): void {
    if (this.#primary === host) this.#primary = null;
  }

  /** A host takes no writes any more: its connections are cut, those that only read too. */
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
        if (host !== primary) connection.cut(new ReadOnlyServer('the primary is elsewhere'));
      }
      return primary;
    } catch (error) {
      throw error instanceof AggregateError ? explain(this.#hosts, error.errors) : error;
    } finally {
      over.abort();
    }
  }
}

/** Connects to one host, to see that its server takes writes. */
async function requireWrites(
  host: Host,
  config: pg.ClientConfig,
  signal: AbortSignal,
): Promise<void> {
  const client = new pg.Client({ ...config, connectionTimeoutMillis: ANSWER_MS_MAX });
  client.on('error', () => {
    // What fails of it is told below.
  });
  const status = new WriteStatus(client);
  const giveUp = (): void => cutConnection(client);
  signal.addEventListener('abort', giveUp);
  try {
    await client.connect();
    const reason = await status.whyReadOnly();
    if (reason !== null) throw new ReadOnlyServer(`${nameOf(host)} takes no writes: ${reason}`);
  } finally {
    signal.removeEventListener('abort', giveUp);
    void endClient(client);
  }
}

/** One error for all hosts, whose failures stand in their order: that which does not pass by itself comes first. */
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
      ? `no host of DATABASE_URL takes writes: ${reasons}. Promote a standby, or start the primary`
      : `no database answers at DATABASE_URL: ${reasons}. Check host and port, and that PostgreSQL runs there`,
  );
}

export function nameOf({ host, port }: Host): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
