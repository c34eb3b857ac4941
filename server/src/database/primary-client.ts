import pg from 'pg';
import { setServer, destroyConnection, isDestroyed } from '../patches/pg-connection.ts';
import { closeClient } from './close-client.ts';
import type { ConnectionConfig } from './engine.ts';
import { asError } from './errors.ts';
import { combineErrors, type Host, type Hosts, formatHost } from './hosts.ts';
import { ReadOnlyServer, WriteStatus } from './read-only.ts';

/** A connection to the host that accepts writes. It is cut when the host no longer does. */
export class PrimaryClient extends pg.Client {
  readonly #hosts: Hosts | null;
  #isEnding = false;

  constructor(config: ConnectionConfig = {}) {
    super(config);
    this.#hosts = config.hosts ?? null;
    this.on('error', () => {
      // The connection may be lost before the client's user listens for `error`.
    });
  }

  /** @throws ReadOnlyServer, NoPrimary, or the reason why `pg` could not connect. */
  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error | null) => void): void;
  override connect(callback?: (error: Error | null) => void): Promise<pg.Client> | undefined {
    const connected = this.#hosts === null ? super.connect() : this.#connect(this.#hosts);
    if (callback === undefined) return connected;
    void callWhenSettled(connected, callback);
    return undefined;
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    this.#isEnding = true;
    if (callback === undefined) return super.end();
    super.end(callback);
    return undefined;
  }

  destroy(error: Error): void {
    destroyConnection(this, error);
  }

  async #connect(hosts: Hosts): Promise<pg.Client> {
    const host = await this.#findHost(hosts);
    setServer(this, host);
    hosts.add(this, host);
    this.once('end', () => {
      hosts.remove(this);
      if (!this.#isEnding) hosts.forgetPrimary(host);
    });
    let isConnected = false;
    const onReadOnly = (reason: string): void => {
      if (isConnected) hosts.dropHost(host, readOnlyError(host, reason));
    };
    const status = new WriteStatus(this, onReadOnly);
    try {
      await super.connect();
      const reason = await status.whyReadOnly();
      if (reason !== null) throw readOnlyError(host, reason);
      isConnected = true;
      return this;
    } catch (error) {
      hosts.forgetPrimary(host);
      void closeClient(this);
      // The message of a server's error is clear without the host.
      const isServerError = error instanceof pg.DatabaseError || error instanceof ReadOnlyServer;
      throw isServerError ? error : combineErrors([host], [error]);
    }
  }

  async #findHost(hosts: Hosts): Promise<Host> {
    try {
      const host = await hosts.find();
      // The caller may have given up during the search: a pool then destroys the stream.
      if (this.#isEnding || isDestroyed(this)) throw new Error('timeout expired');
      return host;
    } catch (error) {
      // `pg` does the same after a failed connection, so that owners of the client drop it.
      process.nextTick(() => this.emit('end'));
      throw error;
    }
  }
}

async function callWhenSettled(
  connected: Promise<unknown>,
  callback: (error: Error | null) => void,
): Promise<void> {
  let failure: Error | null = null;
  try {
    await connected;
  } catch (error) {
    failure = asError(error);
  }
  callback(failure);
}

function readOnlyError(host: Host, reason: string): ReadOnlyServer {
  return new ReadOnlyServer(`${formatHost(host)} does not accept writes: ${reason}`);
}
