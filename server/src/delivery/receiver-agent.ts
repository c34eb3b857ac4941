import type { Socket } from 'node:net';
import { callbackify } from 'node:util';
import { Agent, Client, type Dispatcher, Pool } from 'undici';
import { PostHandler, type PostConnection } from './post-handler.ts';

export interface EstablishedConnection {
  readonly socket: Socket;
  /** The socket below TLS, if there is TLS: it counts bytes that TLS has not passed on yet. */
  readonly tcpSocket: Socket;
}

/** Connects to an origin, including the address checks. Only this function opens connections. */
export type Connect = (origin: URL, signal: AbortSignal) => Promise<EstablishedConnection>;

export interface PoolLimits {
  /** The maximum total size of the header names and values of a response. */
  readonly headerBytes: number;
  /** The receiver's `Keep-Alive: timeout` overrides this, up to `IDLE_MS_MAX`. */
  readonly idleMs: number;
  readonly socketsPerOrigin: number;
  /** The maximum number of idle connections to all origins together. */
  readonly idleSockets: number;
}

/** Some receivers drop idle connections earlier than their `Keep-Alive` announces. */
const IDLE_MS_MAX = 10_000;

/**
 * undici's agent with our connector. The agent drops an origin together with its last connection,
 * so memory use depends on the events of the last seconds and not on the number of receivers.
 */
export class ReceiverAgent {
  readonly #agent: Agent;
  readonly #closing = new AbortController();
  /** The idle connections, longest idle first. */
  readonly #idle = new Set<ConnectionState>();

  constructor(connect: Connect, limits: PoolLimits) {
    const options = {
      allowH2: false,
      pipelining: 1,
      // undici's timeouts are off because `attemptMs` limits the attempt.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: limits.idleMs,
      keepAliveMaxTimeout: IDLE_MS_MAX,
      maxHeaderSize: limits.headerBytes,
    };
    const factory = (origin: URL): Client => {
      const state = new ConnectionState(this.#idle, limits.idleSockets);
      const open = callbackify(async () => {
        const connected = await connect(origin, this.#closing.signal);
        state.onConnect(connected.tcpSocket);
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
        state,
      );
    };
    const pool = { ...options, connections: limits.socketsPerOrigin, factory };
    this.#agent = new Agent({ factory: (origin) => new Pool(origin, pool) });
  }

  get poolStats(): { readonly idle: number; readonly origins: number } {
    const pools = Object.values(this.#agent.stats);
    const idle = pools.reduce((sum, pool) => sum + ('free' in pool ? pool.free : 0), 0);
    return { idle, origins: pools.length };
  }

  /** Waits for a free connection if the origin has reached its limit. */
  dispatch(request: Omit<Agent.DispatchOptions, 'method'>, post: PostHandler): void {
    this.#agent.dispatch({ ...request, method: 'POST' }, post);
  }

  close(reason: Error): void {
    this.#closing.abort(reason);
    // Nothing needs to wait until the sockets are closed.
    this.#agent.destroy(reason).catch(() => undefined);
  }
}

/** An undici client that passes each POST the state of the connection it uses. */
class ReceiverClient extends Client {
  readonly #state: ConnectionState;

  constructor(origin: URL, options: Client.Options, state: ConnectionState) {
    super(origin, options);
    this.#state = state;
    this.on('disconnect', () => state.onDisconnect());
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    this.#state.markBusy();
    if (handler instanceof PostHandler) handler.connection = this.#state;
    return super.dispatch(options, handler);
  }
}

class ConnectionState implements PostConnection {
  tcpSocket: Socket | undefined;
  completedResponses = 0;
  readonly #idle: Set<ConnectionState>;
  readonly #idleMax: number;

  constructor(idle: Set<ConnectionState>, idleMax: number) {
    this.#idle = idle;
    this.#idleMax = idleMax;
  }

  onConnect(tcpSocket: Socket): void {
    this.tcpSocket = tcpSocket;
  }

  markBusy(): void {
    this.#idle.delete(this);
  }

  /** Resets the state on disconnect rather than on the next connect, which may fail. */
  onDisconnect(): void {
    this.markBusy();
    this.tcpSocket = undefined;
    this.completedResponses = 0;
  }

  onResponseComplete(): void {
    this.completedResponses++;
    this.#idle.add(this);
    if (this.#idle.size <= this.#idleMax) return;
    const [longest] = this.#idle;
    longest?.markBusy();
    longest?.tcpSocket?.destroy();
  }
}
