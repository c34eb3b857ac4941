import type { Socket } from 'node:net';
import { callbackify } from 'node:util';
import { Agent, Client, type Dispatcher, Pool } from 'undici';
import { Post, type PostConnection } from './post.ts';

export interface Connected {
  /** The stream to write to and read from. */
  readonly socket: Socket;
  /**
   * The TCP socket below TLS; the same socket without TLS. It counts bytes that TLS has not passed
   * on yet.
   */
  readonly wire: Socket;
}

/** Connects to an origin. Every connection goes through it, including the address checks. */
export type Connect = (origin: URL, signal: AbortSignal) => Promise<Connected>;

/** Limits of the connection pools. */
export interface PoolLimits {
  /** Header names and values of a response, in bytes. */
  readonly headerBytes: number;
  /**
   * How long an idle connection is kept. The receiver's `Keep-Alive: timeout` overrides it, up to
   * `IDLE_MS_MAX`.
   */
  readonly idleMs: number;
  /** Connections per origin. */
  readonly socketsPerOrigin: number;
  /** Idle connections to all origins together. */
  readonly idleSockets: number;
}

/**
 * Upper limit for the receiver's hint: receivers close idle connections after some seconds,
 * sometimes without notice.
 */
const IDLE_MS_MAX = 10_000;

/**
 * Connections to receivers: undici's agent with our connector. It drops an origin together with its
 * last connection, so memory depends on the notices of the last seconds and not on the number of
 * receivers.
 */
export class ReceiverAgent {
  readonly #agent: Agent;
  readonly #closing = new AbortController();
  /** Idle connections, longest idle first. */
  readonly #idle = new Set<ConnectionUse>();

  constructor(connect: Connect, limits: PoolLimits) {
    const options = {
      allowH2: false,
      pipelining: 1,
      // The attempt as a whole has a time limit.
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

  /** Idle connections, and origins that have a pool. */
  get kept(): { readonly idle: number; readonly origins: number } {
    const pools = Object.values(this.#agent.stats);
    const idle = pools.reduce((sum, pool) => sum + ('free' in pool ? pool.free : 0), 0);
    return { idle, origins: pools.length };
  }

  /**
   * Sends a POST on an idle or new connection; at the connection limit it waits for the next free
   * one.
   */
  dispatch(request: Omit<Agent.DispatchOptions, 'method'>, post: Post): void {
    this.#agent.dispatch({ ...request, method: 'POST' }, post);
  }

  /** Closes every connection and fails the requests on them with `reason`. */
  close(reason: Error): void {
    this.#closing.abort(reason);
    // The promise resolves when the sockets are closed; nothing waits for that.
    this.#agent.destroy(reason).catch(() => undefined);
  }
}

/** undici's client, which gives each POST the state of its connection. */
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

/** State of a client's connection since it was opened, and its entry in the idle set. */
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

  /** Reset on disconnect rather than on the next connect, which may fail. */
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
