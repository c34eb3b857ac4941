import type { Socket } from 'node:net';
import { callbackify } from 'node:util';
import { Agent, Client, type Dispatcher, Pool } from 'undici';
import { Post, type PostConnection } from './post.ts';

/** A socket that is connected. */
export interface Connected {
  /** What is written to and read from. */
  readonly socket: Socket;
  /** The TCP connection below it; itself without TLS. TLS may take in much that it passes to no one. */
  readonly wire: Socket;
}

/** Connects to an origin. The guard is in it, and it is the only way out. */
export type Connect = (origin: URL, signal: AbortSignal) => Promise<Connected>;

/** Bounds of the connections that are kept. */
export interface PoolLimits {
  /** Of an answer's names and values. */
  readonly headerBytes: number;
  /** Kept open without a notice. A receiver's own `Keep-Alive: timeout` shortens or lengthens it, to `IDLE_MS_MAX`. */
  readonly idleMs: number;
  /** Connections to one origin at once. */
  readonly socketsPerOrigin: number;
  /** Connections without a notice, to all origins together. */
  readonly idleSockets: number;
}

/** Longest that a receiver's hint keeps a connection: receivers close idle ones after some seconds, at times without a word. */
const IDLE_MS_MAX = 10_000;

/**
 * Connections to receivers: undici's agent over our connector. It forgets an origin with its last connection, so that what
 * is kept grows with the notices of the last seconds and not with the number of receivers.
 */
export class ReceiverAgent {
  readonly #agent: Agent;
  readonly #closing = new AbortController();
  /** Connections without a notice; the longest idle first. */
  readonly #idle = new Set<ConnectionUse>();

  constructor(connect: Connect, limits: PoolLimits) {
    const options = {
      allowH2: false,
      pipelining: 1,
      // The whole attempt has a limit of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: limits.idleMs,
      keepAliveMaxTimeout: IDLE_MS_MAX,
      maxHeaderSize: limits.headerBytes,
    };
    const factory = (origin: URL): Client => {
      const use = new ConnectionUse(this.#idle, limits.idleSockets);
      const open = callbackify(async () => {
        const connected = await connect(origin, this.#closing.signal);
        use.connected(connected.wire);
        return connected.socket;
      });
      return new ReceiverClient(
        origin,
        {
          ...options,
          connect: (_, callback) =>
            open((error, socket) => {
              if (error instanceof Error) callback(error, null);
              else callback(null, socket);
            }),
        },
        use,
      );
    };
    const pool = { ...options, connections: limits.socketsPerOrigin, factory };
    this.#agent = new Agent({ factory: (origin) => new Pool(origin, pool) });
  }

  /** Connections without a notice, and origins that anything is kept for. */
  get kept(): { readonly idle: number; readonly origins: number } {
    const pools = Object.values(this.#agent.stats);
    const idle = pools.reduce((sum, pool) => sum + ('free' in pool ? pool.free : 0), 0);
    return { idle, origins: pools.length };
  }

  /** Sends a POST over a connection that is free, or a new one; where there are as many as may be, over the next free one. */
  dispatch(request: Omit<Agent.DispatchOptions, 'method'>, post: Post): void {
    this.#agent.dispatch({ ...request, method: 'POST' }, post);
  }

  /** Ends every connection, and what is on it for this reason. */
  close(reason: Error): void {
    this.#closing.abort(reason);
    // The promise says when the sockets are closed; nothing waits for that.
    this.#agent.destroy(reason).catch(() => undefined);
  }
}

/** undici's client, which tells each POST what its connection has done before. */
class ReceiverClient extends Client {
  readonly #use: ConnectionUse;

  constructor(origin: URL, options: Client.Options, use: ConnectionUse) {
    super(origin, options);
    this.#use = use;
    this.on('disconnect', () => use.disconnected());
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    this.#use.busy();
    if (handler instanceof Post) handler.connection = this.#use;
    return super.dispatch(options, handler);
  }
}

/** What the connection of a client has done since it was made, and its place among those that are idle. */
class ConnectionUse implements PostConnection {
  wire: Socket | undefined;
  answers = 0;
  readonly #idle: Set<ConnectionUse>;
  readonly #idleMax: number;

  constructor(idle: Set<ConnectionUse>, idleMax: number) {
    this.#idle = idle;
    this.#idleMax = idleMax;
  }

  connected(wire: Socket): void {
    this.wire = wire;
  }

  busy(): void {
    this.#idle.delete(this);
  }

  /** Here and not with the next connection, which may fail before it stands. */
  disconnected(): void {
    this.busy();
    this.wire = undefined;
    this.answers = 0;
  }

  answered(): void {
    this.answers++;
    this.#idle.add(this);
    if (this.#idle.size <= this.#idleMax) return;
    const [longest] = this.#idle;
    longest?.busy();
    longest?.wire?.destroy();
  }
}
