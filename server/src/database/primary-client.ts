import pg from 'pg';
import { connectTo, cutConnection, isCut } from '../patches/pg-connection.ts';
import { endClient } from './end-client.ts';
import type { ConnectionConfig } from './engine.ts';
import { asError } from './fault.ts';
import { explain, type Host, type Hosts, nameOf } from './hosts.ts';
import { ReadOnlyServer, WriteStatus } from './read-only.ts';

/**
 * A client of `pg` that connects to the server that takes writes, on whichever of the hosts it is, and to no other. Its
 * connection is cut when that server stops taking them. Every connection of the service is one of these.
 */
export class PrimaryClient extends pg.Client {
  readonly #hosts: Hosts | null;
  #isEnding = false;

  constructor(config: ConnectionConfig = {}) {
    super(config);
    this.#hosts = config.hosts ?? null;
    this.on('error', () => {
      // Whoever uses it listens too; a connection may be lost before they do.
    });
  }

  /** @throws ReadOnlyServer, NoPrimary, or why `pg` could not connect. */
  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error | null) => void): void;
  override connect(callback?: (error: Error | null) => void): Promise<pg.Client> | undefined {
    const connected = this.#hosts === null ? super.connect() : this.#connect(this.#hosts);
    if (callback === undefined) return connected;
    void tell(connected, callback);
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

  /** Ends the connection at once; what waits on it fails with `error`. */
  cut(error: Error): void {
    cutConnection(this, error);
  }

  async #connect(hosts: Hosts): Promise<pg.Client> {
    const host = await this.#findHost(hosts);
    connectTo(this, host);
    hosts.add(this, host);
    this.once('end', () => {
      hosts.remove(this);
      if (!this.#isEnding) hosts.doubt(host);
    });
    let isConnected = false;
    const leave = (reason: string): void => {
      if (isConnected) hosts.leave(host, refusal(host, reason));
    };
    const status = new WriteStatus(this, leave);
    try {
      await super.connect();
      const reason = await status.whyReadOnly();
      if (reason !== null) throw refusal(host, reason);
      isConnected = true;
      return this;
    } catch (error) {
      hosts.doubt(host);
      void endClient(this);
      // What a server has answered says enough.
      const isAnswer = error instanceof pg.DatabaseError || error instanceof ReadOnlyServer;
      throw isAnswer ? error : explain([host], [error]);
    }
  }

  async #findHost(hosts: Hosts): Promise<Host> {
    try {
      const host = await hosts.find();
      // Its user may have given it up meanwhile; a pool then destroys the stream.
      if (this.#isEnding || isCut(this)) throw new Error('timeout expired');
      return host;
    } catch (error) {
      // As `pg` does after a connection that failed: its users forget it then.
      process.nextTick(() => this.emit('end'));
      throw error;
    }
  }
}

async function tell(
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

function refusal(host: Host, reason: string): ReadOnlyServer {
  return new ReadOnlyServer(`${nameOf(host)} takes no writes: ${reason}`);
}
