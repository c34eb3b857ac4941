import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Log } from '../base/log.ts';
import type { ConstantHeaders } from './constant-headers.ts';
import type { Drain } from './drain.ts';
import type { ErrorCode } from './errors.ts';
import type { HelpLinks } from './help-link.ts';
import { type EventLoop, eventLoop } from './event-loop.ts';
import { TickBudget, TICK_BOUNDS, type TickBounds } from './tick-budget.ts';
import type { Metrics } from './metrics.ts';
import { JSON_TYPE } from './raw-response.ts';
import { PAUSE_SECONDS_MAX, PausedConnections } from './paused-connections.ts';

/** `loop`: the event-loop tick takes too long. `in_flight`: too many requests are in progress. */
export const SHED_REASONS = ['loop', 'in_flight'] as const;
export type ShedReason = (typeof SHED_REASONS)[number];

export interface LoadShedderBounds extends TickBounds {
  /** The maximum number of requests in flight. Each takes about 20 kB. */
  readonly inFlightMax: number;
}

export interface LoadShedderOptions {
  readonly log: Log;
  readonly drain: Drain;
  readonly metrics: Metrics | null;
  readonly constant: ConstantHeaders;
  readonly links: HelpLinks;
  readonly newRequestId: () => string;
  /** Connections that must close after the response to a shed request are added to this set. */
  readonly closing: WeakSet<Duplex>;
  readonly bounds?: Partial<LoadShedderBounds>;
  readonly loop?: EventLoop;
}

/**
 * Requests in flight take at most about 100 MB. The limit is more than twice what one app may have
 * waiting by design: a thousand searches and a thousand pages of the feed (decision 0122).
 */
const IN_FLIGHT_MAX = 5_000;
/** Spreads `Retry-After` over this range, so that clients do not all retry in the same second. */
const RETRY_SPREAD_SECONDS = 8;
/** A log line for each shed request would cost what shedding saves. */
const LOG_EVERY_MS = 1_000;
const CODE: ErrorCode = 'temporarily_unavailable';
const BODY = `{"error":"${CODE}"}`;
/** Health checks are never shed, because taking an overloaded node out would overload others. */
const HEALTH_PATHS: ReadonlySet<string> = new Set(['/livez', '/readyz']);

/** Refuses a request that cannot be served in time, before any other work (decision 0122). */
export class LoadShedder {
  readonly #options: LoadShedderOptions;
  readonly #loop: EventLoop;
  readonly #tickBudget: TickBudget;
  readonly #connections: PausedConnections;
  readonly #inFlightMax: number;
  readonly #count: (reason: ShedReason) => void;
  readonly #headers: readonly string[];
  #inFlight = 0;
  #shedCount = 0;
  /** The value of `#shedCount` at the last log line. */
  #logged = 0;
  #isLogPending = false;

  constructor(options: LoadShedderOptions) {
    const { inFlightMax, ...tickBounds } = {
      ...TICK_BOUNDS,
      inFlightMax: IN_FLIGHT_MAX,
      ...options.bounds,
    };
    this.#options = options;
    this.#loop = options.loop ?? eventLoop;
    this.#tickBudget = new TickBudget(this.#loop, tickBounds);
    this.#connections = new PausedConnections(this.#loop);
    this.#inFlightMax = inFlightMax;
    this.#count = addMetrics(options.metrics, {
      inFlight: () => this.#inFlight,
      paused: () => this.#connections.pausedCount,
    });
    this.#headers = Object.entries({
      ...options.constant,
      link: options.links(CODE),
      'content-type': JSON_TYPE,
      'content-length': String(BODY.length),
    }).flat();
  }

  /** Makes a server shed requests before its request listeners run. */
  guard(server: Server): void {
    const listeners = server.listeners('request');
    server.removeAllListeners('request');
    server.on('request', (request: IncomingMessage, response: ServerResponse): void => {
      if (!this.#admit(request, response)) return;
      for (const listener of listeners) listener.call(server, request, response);
    });
  }

  /** Returns false if it has shed the request. */
  #admit(request: IncomingMessage, response: ServerResponse): boolean {
    // Always call `tryAdmit`, because the first request of a tick starts the time of the tick.
    const hasTime = this.#tickBudget.tryAdmit();
    const isFull = this.#inFlight >= this.#inFlightMax;
    if ((!hasTime || isFull) && !isHealth(request.url ?? '')) {
      this.#shedRequest(request, response, hasTime ? 'in_flight' : 'loop');
      return false;
    }
    this.#connections.admit();
    // A pipelined request has no socket yet. It is not counted, because Node emits no `close` event
    // for it if the connection breaks.
    if (response.socket !== null) {
      this.#inFlight += 1;
      // Node emits `close` once. `once` would add a closure for each request.
      response.on('close', this.#leave);
    }
    return true;
  }

  readonly #leave = (): void => {
    this.#inFlight -= 1;
  };

  #shedRequest(request: IncomingMessage, response: ServerResponse, reason: ShedReason): void {
    const { drain, newRequestId, closing } = this.#options;
    const retrySeconds = PAUSE_SECONDS_MAX + (this.#shedCount++ % RETRY_SPREAD_SECONDS);
    const headers = [...this.#headers, 'x-request-id', newRequestId()];
    headers.push('retry-after', String(retrySeconds));
    // The body is not read. On an open connection it would be parsed as the next request.
    const isLast = hasBody(request) || drain.isDraining;
    if (isLast) headers.push('connection', 'close');
    response.writeHead(503, headers);
    response.end(BODY);
    if (isLast) closing.add(request.socket);
    else this.#connections.pause(request.socket);
    this.#count(reason);
    this.#log(reason);
  }

  /** Logs the first shed request of an overload immediately, and then a count once a second. */
  #log(reason: ShedReason): void {
    if (this.#isLogPending) return;
    const shed = this.#shedCount - this.#logged;
    this.#logged = this.#shedCount;
    this.#isLogPending = true;
    this.#loop.after(LOG_EVERY_MS, () => {
      this.#isLogPending = false;
      if (this.#shedCount > this.#logged) this.#log(reason);
    });
    this.#options.log.warn(
      { shed, reason, inFlight: this.#inFlight },
      'shedding requests: more requests arrive than this process can serve',
    );
  }
}

function addMetrics(
  metrics: Metrics | null,
  read: { readonly inFlight: () => number; readonly paused: () => number },
): (reason: ShedReason) => void {
  if (metrics === null) return () => undefined;
  metrics.addGauge('cardport_http_requests_in_flight', 'Requests in progress.', read.inFlight);
  metrics.addGauge(
    'cardport_http_connections_held',
    'Connections paused for up to two seconds because a request on them was shed.',
    read.paused,
  );
  return metrics.addCounter(
    'cardport_http_requests_shed_total',
    'Requests refused immediately with 503 because the event loop was saturated or too many requests were in progress.',
    { name: 'reason', values: SHED_REASONS },
  );
}

function isHealth(url: string): boolean {
  const query = url.indexOf('?');
  return HEALTH_PATHS.has(query === -1 ? url : url.slice(0, query));
}

/** Returns true if a request has a body. At this point none of the body has been read. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}
