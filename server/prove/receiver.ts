import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { FeedFollower } from './feed-follower.ts';
import { checkNotice, type Registration } from './event-check.ts';
import { answerNotice, type Behavior, READING } from './receiver-behavior.ts';
import { selfSigned } from './self-signed.ts';

/** One POST to a receiver. Times are in milliseconds. */
export interface Arrival {
  /** The receiver's number, from 0. */
  readonly receiver: number;
  readonly eventId: string;
  readonly attempt: number;
  readonly occurredAtMs: number;
  readonly bodySha256: string;
  /**
   * Monotonic, like all times here, from `performance.timeOrigin`, so that processes of one machine
   * are comparable.
   */
  readonly arrivedAtMs: number;
  /** By the wall clock. */
  readonly arrivedAtWallMs: number;
  /** When the receiver's side ended; null while in progress. */
  endedAtMs: number | null;
  /** The status that was sent, or null if there was none. */
  status: number | null;
  /** Other requests of this receiver in progress at the arrival. */
  readonly underWay: number;
  readonly faults: readonly string[];
  /**
   * Whether a read of the feed that began after the arrival contained the change; null: not read
   * (yet).
   */
  isReadable: boolean | null;
  /** Bytes sent on the connection during the answer. */
  bytesSent: number;
}

/** A notice has about 200 bytes. */
const BODY_BYTES_MAX = 16_384;

/** Monotonic time, comparable between the processes of this machine. */
export function monotonicMs(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * A receiver of notices with a separate port: checks each notice, reads the feed, and behaves as
 * configured.
 */
export class Receiver {
  readonly arrivals: Arrival[] = [];
  readonly behavior: Behavior;
  readonly #number: number;
  readonly #canaryUrl: string;
  readonly #server: Server;
  #registration: Registration | null = null;
  #follower: FeedFollower | null = null;
  #underWay = 0;
  #notices = 0;
  #onArrival: () => void = () => undefined;

  constructor(number: number, behavior: Behavior, canaryUrl: string) {
    this.#number = number;
    this.behavior = behavior;
    this.#canaryUrl = canaryUrl;
    const take = (request: IncomingMessage, response: ServerResponse): void =>
      this.#take(request, response);
    this.#server =
      behavior === 'bad_certificate' ? createTlsServer(selfSigned, take) : createServer(take);
  }

  /** Listens on a free port; returns the address of the webhook. */
  async open(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const scheme = this.behavior === 'bad_certificate' ? 'https' : 'http';
    return `${scheme}://127.0.0.1:${address.port}/notices`;
  }

  /** Sets the connection of this receiver. An earlier notice is a fault. */
  register(registration: Registration, partnerUrl: string): void {
    this.#registration = registration;
    this.#follower = new FeedFollower(partnerUrl, registration.token);
  }

  /** Calls `handler` at each arrival, before it is answered. */
  onArrival(handler: () => void): void {
    this.#onArrival = handler;
  }

  /** The known units, each with its price. */
  get held(): ReadonlyMap<string, unknown> {
    return this.#follower?.held ?? new Map();
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const underWay = this.#underWay++;
    const arrivedAtMs = monotonicMs();
    const arrivedAtWallMs = Date.now();
    const socket = request.socket;
    const sentBefore = socket.bytesWritten;
    let arrival: Arrival | undefined;
    response.on('error', () => {
      // The sender disconnected, which is allowed, or was killed.
    });
    // Set before the sender has the answer: a busy machine reports the close late, and the pause
    // until the next notice would seem too short.
    response.once('prefinish', () => {
      if (arrival !== undefined) arrival.endedAtMs = monotonicMs();
    });
    response.once('close', () => {
      this.#underWay -= 1;
      if (arrival === undefined) return;
      arrival.endedAtMs ??= monotonicMs();
      arrival.bytesSent = socket.bytesWritten - sentBefore;
    });
    const parts: Buffer[] = [];
    let length = 0;
    request.on('data', (part: Buffer) => {
      length += part.length;
      if (length <= BODY_BYTES_MAX) parts.push(part);
    });
    request.once('end', () => {
      const checked = this.#check(request, Buffer.concat(parts));
      const known = { ...checked, arrivedAtMs, arrivedAtWallMs, underWay };
      arrival = { ...known, endedAtMs: null, status: null, isReadable: null, bytesSent: 0 };
      this.arrivals.push(arrival);
      this.#onArrival();
      if (READING.has(this.behavior)) void this.#read(arrival);
      arrival.status = answerNotice(this.behavior, this.#notices++, response, this.#canaryUrl);
    });
  }

  #check(
    request: IncomingMessage,
    body: Buffer,
  ): Pick<Arrival, 'receiver' | 'eventId' | 'attempt' | 'occurredAtMs' | 'bodySha256' | 'faults'> {
    const receiver = this.#number;
    const bodySha256 = createHash('sha256').update(body).digest('hex');
    if (this.#registration === null) {
      const faults = ['nobody has registered'];
      return { receiver, eventId: '', attempt: 0, occurredAtMs: 0, bodySha256, faults };
    }
    const checked = checkNotice(request.headers, body, this.#registration);
    const { method = '', url = '' } = request;
    const faults = [...checked.faults];
    if (method !== 'POST' || url !== '/notices') faults.push(`${method} ${url}`);
    return { ...checked, receiver, bodySha256, faults };
  }

  /** Reads the feed immediately; it must contain the change. */
  async #read(arrival: Arrival): Promise<void> {
    const follower = this.#follower;
    if (follower === null) return;
    await follower.read();
    arrival.isReadable = follower.newestChangedAtMs >= arrival.occurredAtMs;
  }
}
