import pg from 'pg';
import { describeError } from '../base/describe-error.ts';
import { destroyConnection } from '../patches/pg-connection.ts';
import { closeClient } from './close-client.ts';
import { isDatabaseUnreachable } from './errors.ts';
import { RESPONSE_TIMEOUT_MS, ReadOnlyServer, WriteStatus } from './read-only.ts';

/** `host` is a name, an IP address, or the folder of a Unix socket. */
export interface Host {
  readonly host: string;
  readonly port: number;
}

export class NoPrimary extends AggregateError {
  override name = 'NoPrimary';
}

interface Destroyable {
  destroy(error: Error): void;
}

// A failed search is not repeated for this long, so that waiting requests do not flood standbys.
const FAILURE_CACHED_MS = 100;

/**
 * Finds the primary among the hosts of `DATABASE_URL`: it connects to all hosts concurrently, and
 * takes the first that accepts writes. When another host becomes the primary, connections to the
 * old one are cut, so that a process uses only one server (decision 0218).
 */
export class Hosts {
  readonly #hosts: readonly (Host & { readonly config: pg.ClientConfig })[];
  readonly #connections = new Map<Destroyable, Host>();
  #primary: Host | null = null;
  #search: Promise<Host> | null = null;

  constructor(configs: readonly pg.ClientConfig[]) {
    this.#hosts = configs.map((config) => {
      // `pg` parses the settings here, so that its defaults apply.
      const { host, port } = new pg.Client(config);
      return { host, port, config };
    });
  }

  /**
   * A single host is not checked.
   * @throws NoPrimary, or a host's permanent error, such as a wrong password
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
      search.then(forget, () => setTimeout(forget, FAILURE_CACHED_MS).unref());
    }
    return await this.#search;
  }

  add(connection: Destroyable, host: Host): void {
    this.#connections.set(connection, host);
  }

  remove(connection: Destroyable): void {
    this.#connections.delete(connection);
  }

  /** Called when a connection failed or was lost: another host may have become the primary. */
  forgetPrimary(host: Host): void {
    if (this.#primary === host) this.#primary = null;
  }

  /** Cuts all connections to a host that no longer accepts writes, even those that only read. */
  dropHost(host: Host, error: Error): void {
    this.forgetPrimary(host);
    for (const [connection, connectedHost] of this.#connections) {
      if (connectedHost === host) connection.destroy(error);
    }
  }

  async #searchAll(): Promise<Host> {
    const abort = new AbortController();
    try {
      const primary = await Promise.any(
        this.#hosts.map(async (host) => {
          await requireWrites(host, host.config, abort.signal);
          return host;
        }),
      );
      this.#primary = primary;
      for (const [connection, host] of this.#connections) {
        if (host !== primary) connection.destroy(new ReadOnlyServer('another host is the primary'));
      }
      return primary;
    } catch (error) {
      throw error instanceof AggregateError ? combineErrors(this.#hosts, error.errors) : error;
    } finally {
      abort.abort();
    }
  }
}

async function requireWrites(
  host: Host,
  config: pg.ClientConfig,
  signal: AbortSignal,
): Promise<void> {
  const client = new pg.Client({ ...config, connectionTimeoutMillis: RESPONSE_TIMEOUT_MS });
  client.on('error', () => {
    // The failure of `connect` is thrown below, so the `error` event needs no handling.
  });
  const status = new WriteStatus(client);
  const giveUp = (): void => destroyConnection(client);
  signal.addEventListener('abort', giveUp);
  try {
    await client.connect();
    const reason = await status.whyReadOnly();
    if (reason !== null) {
      throw new ReadOnlyServer(`${formatHost(host)} does not accept writes: ${reason}`);
    }
  } finally {
    signal.removeEventListener('abort', giveUp);
    void closeClient(client);
  }
}

/** Returns the first permanent failure, or else one error that lists the failure of each host. */
export function combineErrors(hosts: readonly Host[], errors: readonly unknown[]): unknown {
  const permanent = errors.find((error) => !isDatabaseUnreachable(error));
  if (permanent !== undefined) return permanent;
  const reasons = hosts
    .map((host, index) => {
      const error = errors[index];
      return error instanceof ReadOnlyServer
        ? error.message
        : `${formatHost(host)}: ${describeError(error)}`;
    })
    .join('; ');
  return new NoPrimary(
    errors,
    errors.some((error) => error instanceof ReadOnlyServer)
      ? `no host of DATABASE_URL accepts writes: ${reasons}. Promote a standby, or start the primary`
      : `no database responds at DATABASE_URL: ${reasons}. Check the host and port, and that PostgreSQL is running there`,
  );
}

export function formatHost({ host, port }: Host): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
