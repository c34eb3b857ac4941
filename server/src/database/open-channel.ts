import { randomBytes } from 'node:crypto';
import type { Channel, Topic } from './channel.ts';
import { endClient } from './end-client.ts';
import type { Engine } from './engine.ts';
import type { ClockReading } from './database-clock.ts';
import { asError } from './fault.ts';
import { PrimaryClient } from './primary-client.ts';

export interface ChannelTimes {
  readonly beatMs: number;
  /**
   * How long a returned heartbeat proves the connection: the longest that a cache of another node
   * can be stale.
   */
  readonly windowMs: number;
  /** A connection without proof for this long is dropped: its backend or its network is frozen. */
  readonly giveUpMs: number;
  /** First wait before connecting again; each failure doubles it. */
  readonly retryMs: number;
  readonly retryMsMax: number;
}

export const channelTimes: ChannelTimes = {
  beatMs: 200,
  windowMs: 1_000,
  giveUpMs: 2_000,
  retryMs: 50,
  retryMsMax: 2_000,
};

export interface OpenChannelOptions {
  readonly onFault: (error: Error) => void;
  readonly onTime?: (reading: ClockReading) => void;
  readonly times?: ChannelTimes;
}

const BEAT = 'select pg_notify($1, $2), clock_timestamp() as at';

const topics: readonly Topic[] = ['access', 'stock', 'catalog', 'boosts', 'webhooks'];

/**
 * Opens the invalidation channel: one listening connection that sends itself heartbeats and
 * reconnects automatically.
 *
 * @throws Error when the first connection fails.
 */
export async function openChannel(engine: Engine, options: OpenChannelOptions): Promise<Channel> {
  const channel = new PgChannel(engine, options);
  await channel.connect();
  return channel;
}

class PgChannel implements Channel {
  readonly #engine: Engine;
  readonly #onFault: (error: Error) => void;
  readonly #onTime: (reading: ClockReading) => void;
  readonly #times: ChannelTimes;
  readonly #handlers = new Map<Topic, ((payload: string) => void)[]>();
  readonly #resetHandlers: (() => void)[] = [];
  /**
   * A channel name per node, so that heartbeats do not wake the other nodes five times a second.
   */
  readonly #beatName = `cardport_beat_${randomBytes(8).toString('hex')}`;
  /** When the newest returned heartbeat was sent (`performance.now`). */
  #provenAtMs = Number.NEGATIVE_INFINITY;
  #client: PrimaryClient | null = null;
  #beats: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(engine: Engine, options: OpenChannelOptions) {
    this.#engine = engine;
    this.#onFault = options.onFault;
    this.#onTime = options.onTime ?? ((): void => undefined);
    this.#times = options.times ?? channelTimes;
  }

  subscribe(topic: Topic, handler: (payload: string) => void): void {
    const handlers = this.#handlers.get(topic);
    if (handlers === undefined) this.#handlers.set(topic, [handler]);
    else handlers.push(handler);
  }

  onReset(handler: () => void): void {
    this.#resetHandlers.push(handler);
  }

  isProven(): boolean {
    return this.provenAgeMs() <= this.#times.windowMs;
  }

  provenAgeMs(): number {
    return performance.now() - this.#provenAtMs;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    const client = this.#client;
    this.#forget();
    if (client !== null) await endClient(client);
  }

  /** Opens the listening connection, then drops the caches: earlier notifications were missed. */
  async connect(): Promise<void> {
    const client = new PrimaryClient({
      ...this.#engine.clientConfig(),
      connectionTimeoutMillis: this.#times.giveUpMs,
      query_timeout: this.#times.giveUpMs,
    });
    const lose = (error: Error): void => this.#lose(client, error);
    client.on('error', lose);
    client.on('end', () => lose(new Error('the listening connection has ended')));
    client.on('notification', (note) => {
      if (client === this.#client) this.#hear(note.channel, note.payload ?? '');
    });
    try {
      await client.connect();
      await client.query(`listen cardport; listen ${this.#beatName}`);
    } catch (error) {
      await endClient(client);
      throw error;
    }
    if (this.#isClosed) {
      await endClient(client);
      return;
    }
    this.#client = client;
    this.#failures = 0;
    for (const handler of this.#resetHandlers) this.#call(handler);
    this.#startBeats(client);
  }

  #startBeats(client: PrimaryClient): void {
    const startedAtMs = performance.now();
    let isUnderWay = false;
    const beat = (): void => {
      const nowMs = performance.now();
      if (nowMs - Math.max(this.#provenAtMs, startedAtMs) > this.#times.giveUpMs) {
        this.#lose(client, new Error('no heartbeat came back on the listening connection'));
        return;
      }
      // One at a time, so that heartbeats do not pile up on a frozen connection.
      if (isUnderWay) return;
      isUnderWay = true;
      this.#sendBeat(client, nowMs)
        .catch((error: unknown) => this.#lose(client, asError(error)))
        .finally(() => {
          isUnderWay = false;
        });
    };
    this.#beats = setInterval(beat, this.#times.beatMs);
    beat();
  }

  async #sendBeat(client: PrimaryClient, sentMs: number): Promise<void> {
    const values = [this.#beatName, String(sentMs)];
    const { rows } = await client.query<{ readonly at: Date }>(BEAT, values);
    const answeredMs = performance.now();
    const [row] = rows;
    if (row !== undefined && client === this.#client) {
      this.#onTime({ sentMs, at: row.at, answeredMs });
    }
  }

  #hear(name: string, text: string): void {
    if (name === this.#beatName) {
      this.#provenAtMs = Math.max(this.#provenAtMs, Number(text));
      return;
    }
    if (name !== 'cardport') return;
    const colon = text.indexOf(':');
    const topic = topics.find((known) => known === text.slice(0, colon));
    // A newer node may use topics that this one does not know.
    if (topic === undefined) return;
    const payload = text.slice(colon + 1);
    for (const handler of this.#handlers.get(topic) ?? []) this.#call(() => handler(payload));
  }

  #call(handler: () => void): void {
    try {
      handler();
    } catch (error) {
      this.#onFault(asError(error));
    }
  }

  #lose(client: PrimaryClient, error: Error): void {
    if (client !== this.#client) return;
    this.#forget();
    // Cut it instead of ending it: a frozen server would not answer, and until the connection ends
    // the host still counts as the primary.
    client.cut(error);
    if (this.#isClosed) return;
    this.#onFault(error);
    this.#connectLater();
  }

  #forget(): void {
    clearInterval(this.#beats);
    this.#client = null;
    this.#provenAtMs = Number.NEGATIVE_INFINITY;
  }

  #connectLater(): void {
    const waitMs = Math.min(this.#times.retryMs * 2 ** this.#failures, this.#times.retryMsMax);
    this.#failures += 1;
    this.#retry = setTimeout(() => {
      this.connect().catch(() => {
        if (!this.#isClosed) this.#connectLater();
      });
    }, waitMs);
  }
}
