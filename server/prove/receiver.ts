import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { FeedFollower } from './feed-follower.ts';
import { checkDelivery, type Registration } from './event-check.ts';
import { answerDelivery, type Behavior, READING_BEHAVIORS } from './receiver-behavior.ts';
import { selfSignedCertificate } from './self-signed.ts';

/** One POST request to a receiver. Times are in milliseconds. */
export interface Arrival {
  /** The receiver's number, from 0. */
  readonly receiver: number;
  readonly eventId: string;
  readonly attempt: number;
  readonly occurredAtMs: number;
  readonly bodySha256: string;
  /**
   * The time of arrival by `monotonicMs`. Such times can be compared between the processes of one
   * machine.
   */
  readonly arrivedAtMs: number;
  /** The time of arrival by the wall clock. */
  readonly arrivedAtWallMs: number;
  /** The time at which the response ended. Null while the exchange is in progress. */
  endedAtMs: number | null;
  /** The status that was sent, or null if none was sent. */
  status: number | null;
  /** The number of other requests to this receiver that were in progress at the arrival. */
  readonly underWay: number;
  readonly faults: readonly string[];
  /**
   * Whether the read of the feed that began after the arrival contained the change. Null until such
   * a read has ended.
   */
  isReadable: boolean | null;
  /** The number of bytes sent on the connection during the response. */
  bytesSent: number;
}

/** The maximum size of a delivery. Real deliveries have about 200 bytes. */
const BODY_BYTES_MAX = 16_384;

/** Returns the monotonic time, which can be compared between the processes of this machine. */
export function monotonicMs(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * A receiver of deliveries on its own port, which checks each delivery, reads the feed and behaves
 * as configured.
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
  #deliveries = 0;
  #onArrival: () => void = () => undefined;

  constructor(number: number, behavior: Behavior, canaryUrl: string) {
    this.#number = number;
    this.behavior = behavior;
    this.#canaryUrl = canaryUrl;
    const take = (request: IncomingMessage, response: ServerResponse): void =>
      this.#take(request, response);
    this.#server =
      behavior === 'bad_certificate'
        ? createTlsServer(selfSignedCertificate, take)
        : createServer(take);
  }

  /** Listens on a free port. Returns the address of the webhook. */
  async open(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const scheme = this.behavior === 'bad_certificate' ? 'https' : 'http';
    return `${scheme}://127.0.0.1:${address.port}/deliveries`;
  }

  /** Sets the connection of this receiver. A delivery that arrives before this call is a fault. */
  register(registration: Registration, partnerUrl: string): void {
    this.#registration = registration;
    this.#follower = new FeedFollower(partnerUrl, registration.token);
  }

  /** Calls `handler` at each arrival, before the response. */
  onArrival(handler: () => void): void {
    this.#onArrival = handler;
  }

  /** Returns the known units, each with its price. */
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
    // Set the time before the sender gets the response. On a busy machine, `close` comes late,
    // which would make the pause before the next delivery seem too short.
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
      if (READING_BEHAVIORS.has(this.behavior)) void this.#read(arrival);
      arrival.status = answerDelivery(this.behavior, this.#deliveries++, response, this.#canaryUrl);
    });
  }

  #check(
    request: IncomingMessage,
    body: Buffer,
  ): Pick<Arrival, 'receiver' | 'eventId' | 'attempt' | 'occurredAtMs' | 'bodySha256' | 'faults'> {
    const receiver = this.#number;
    const bodySha256 = createHash('sha256').update(body).digest('hex');
    if (this.#registration === null) {
      const faults = ['arrived before the webhook was registered'];
      return { receiver, eventId: '', attempt: 0, occurredAtMs: 0, bodySha256, faults };
    }
    const checked = checkDelivery(request.headers, body, this.#registration);
    const { method = '', url = '' } = request;
    const faults = [...checked.faults];
    if (method !== 'POST' || url !== '/deliveries') faults.push(`${method} ${url}`);
    return { ...checked, receiver, bodySha256, faults };
  }

  /** Reads the feed immediately. The feed must contain the change. */
  async #read(arrival: Arrival): Promise<void> {
    const follower = this.#follower;
    if (follower === null) return;
    await follower.read();
    arrival.isReadable = follower.newestChangedAtMs >= arrival.occurredAtMs;
  }
}
