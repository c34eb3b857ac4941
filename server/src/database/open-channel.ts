import { randomBytes } from 'node:crypto';
import { runningMs } from '../base/process-pauses.ts';
import type { Channel, Topic } from './channel.ts';
import { closeClient } from './close-client.ts';
import type { Engine } from './engine.ts';
import type { ClockReading } from './database-clock.ts';
import { asError } from './errors.ts';
import { PrimaryClient } from './primary-client.ts';
import { limitResponseTime } from './response-timeout.ts';

export interface ChannelTimings {
  readonly heartbeatMs: number;
  /** How long a returned heartbeat proves that the connection works. A cache can be this stale. */
  readonly heartbeatValidMs: number;
  /** The channel reconnects after this long without a heartbeat. */
  readonly heartbeatTimeoutMs: number;
  /** The first pause before reconnecting. It doubles with each failure, up to `retryMsMax`. */
  readonly retryMs: number;
  readonly retryMsMax: number;
}

export const channelTimings: ChannelTimings = {
  heartbeatMs: 200,
  heartbeatValidMs: 1_000,
  heartbeatTimeoutMs: 2_000,
  retryMs: 50,
  retryMsMax: 2_000,
};

export interface OpenChannelOptions {
  readonly onFault: (error: Error) => void;
  readonly onTime?: (reading: ClockReading) => void;
  readonly times?: ChannelTimings;
}

const SEND_HEARTBEAT = 'select pg_notify($1, $2), clock_timestamp() as at';

const topics: readonly Topic[] = ['access', 'stock', 'catalog', 'boosts', 'webhooks'];

/** Reconnects automatically after a lost connection. Throws if the first connection fails. */
export async function openChannel(engine: Engine, options: OpenChannelOptions): Promise<Channel> {
  const channel = new PgChannel(engine, options);
  await channel.connect();
  return channel;
}

class PgChannel implements Channel {
  readonly #engine: Engine;
  readonly #onFault: (error: Error) => void;
  readonly #onClockReading: (reading: ClockReading) => void;
  readonly #timings: ChannelTimings;
  readonly #handlers = new Map<Topic, ((payload: string) => void)[]>();
  readonly #resetHandlers: (() => void)[] = [];
  // Unique to this node, so that its heartbeats do not wake the other nodes five times a second.
  readonly #heartbeatChannel = `cardport_beat_${randomBytes(8).toString('hex')}`;
  /** When the newest heartbeat that came back was sent (`performance.now`). */
  #lastHeartbeatMs = Number.NEGATIVE_INFINITY;
  /** When the connection last returned a heartbeat (`runningMs`, so a pause of ours is no fault). */
  #returnedAtMs = 0;
  #client: PrimaryClient | null = null;
  #heartbeatTimer: NodeJS.Timeout | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(engine: Engine, options: OpenChannelOptions) {
    this.#engine = engine;
    this.#onFault = options.onFault;
    this.#onClockReading = options.onTime ?? ((): void => undefined);
    this.#timings = options.times ?? channelTimings;
  }

  subscribe(topic: Topic, handler: (payload: string) => void): void {
    const handlers = this.#handlers.get(topic);
    if (handlers === undefined) this.#handlers.set(topic, [handler]);
    else handlers.push(handler);
  }

  onReset(handler: () => void): void {
    this.#resetHandlers.push(handler);
  }

  isLive(): boolean {
    return this.heartbeatAgeMs() <= this.#timings.heartbeatValidMs;
  }

  heartbeatAgeMs(): number {
    return performance.now() - this.#lastHeartbeatMs;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retryTimer);
    const client = this.#client;
    this.#reset();
    if (client !== null) await closeClient(client);
  }

  /** Connects, then resets the caches: notifications were missed until now. */
  async connect(): Promise<void> {
    const client = new PrimaryClient({
      ...this.#engine.clientConfig(),
      connectionTimeoutMillis: this.#timings.heartbeatTimeoutMs,
    });
    const disconnect = (error: Error): void => this.#disconnect(client, error);
    client.on('error', disconnect);
    client.on('end', () => disconnect(new Error('the listening connection has ended')));
    client.on('notification', (message) => {
      if (client === this.#client) this.#handleNotification(message.channel, message.payload ?? '');
    });
    try {
      await client.connect();
      limitResponseTime(client, this.#timings.heartbeatTimeoutMs);
      await client.query(`listen cardport; listen ${this.#heartbeatChannel}`);
    } catch (error) {
      await closeClient(client);
      throw error;
    }
    if (this.#isClosed) {
      await closeClient(client);
      return;
    }
    this.#client = client;
    this.#failures = 0;
    for (const handler of this.#resetHandlers) this.#callHandler(handler);
    this.#startHeartbeats(client);
  }

  #startHeartbeats(client: PrimaryClient): void {
    this.#returnedAtMs = runningMs();
    let isSending = false;
    const sendHeartbeat = (): void => {
      if (runningMs() - this.#returnedAtMs > this.#timings.heartbeatTimeoutMs) {
        this.#disconnect(
          client,
          new Error('the listening connection did not return a heartbeat in time'),
        );
        return;
      }
      // Heartbeats must not pile up on a stuck connection.
      if (isSending) return;
      isSending = true;
      this.#sendHeartbeat(client, performance.now())
        .catch((error: unknown) => this.#disconnect(client, asError(error)))
        .finally(() => {
          isSending = false;
        });
    };
    this.#heartbeatTimer = setInterval(sendHeartbeat, this.#timings.heartbeatMs);
    sendHeartbeat();
  }

  async #sendHeartbeat(client: PrimaryClient, sentMs: number): Promise<void> {
    const values = [this.#heartbeatChannel, String(sentMs)];
    const { rows } = await client.query<{ readonly at: Date }>(SEND_HEARTBEAT, values);
    const receivedMs = performance.now();
    const [row] = rows;
    if (row !== undefined && client === this.#client) {
      this.#onClockReading({ sentMs, at: row.at, receivedMs });
    }
  }

  #handleNotification(name: string, text: string): void {
    if (name === this.#heartbeatChannel) {
      this.#lastHeartbeatMs = Math.max(this.#lastHeartbeatMs, Number(text));
      this.#returnedAtMs = runningMs();
      return;
    }
    if (name !== 'cardport') return;
    const colon = text.indexOf(':');
    const topic = topics.find((known) => known === text.slice(0, colon));
    // A node with a newer version may announce unknown topics.
    if (topic === undefined) return;
    const payload = text.slice(colon + 1);
    for (const handler of this.#handlers.get(topic) ?? []) {
      this.#callHandler(() => handler(payload));
    }
  }

  #callHandler(handler: () => void): void {
    try {
      handler();
    } catch (error) {
      this.#onFault(asError(error));
    }
  }

  #disconnect(client: PrimaryClient, error: Error): void {
    if (client !== this.#client) return;
    this.#reset();
    // Destroy the connection instead of ending it. A stuck server would never confirm the end, and
    // its host would continue to count as the primary.
    client.destroy(error);
    if (this.#isClosed) return;
    this.#onFault(error);
    this.#scheduleReconnect();
  }

  #reset(): void {
    clearInterval(this.#heartbeatTimer);
    this.#client = null;
    this.#lastHeartbeatMs = Number.NEGATIVE_INFINITY;
  }

  #scheduleReconnect(): void {
    const waitMs = Math.min(this.#timings.retryMs * 2 ** this.#failures, this.#timings.retryMsMax);
    this.#failures += 1;
    this.#retryTimer = setTimeout(() => {
      this.connect().catch(() => {
        if (!this.#isClosed) this.#scheduleReconnect();
      });
    }, waitMs);
  }
}
