import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Log } from '../base/log.ts';
import type { ConstantHeaders } from './constant-headers.ts';
import type { Drain } from './drain.ts';
import type { ErrorCode } from './errors.ts';
import type { HelpLinks } from './help-link.ts';
import { type Loop, thisLoop } from './event-loop.ts';
import { LoopRound, ROUND_BOUNDS, type RoundBounds } from './loop-round.ts';
import type { Metrics } from './metrics.ts';
import { JSON_TYPE } from './raw-answer.ts';
import { HOLD_SECONDS_MAX, ShedConnections } from './shed-connections.ts';

/** Why a request is shed: its round of the event loop is over time, or too many are under way. */
export const SHED_REASONS = ['loop', 'in_flight'] as const;
/** One of them. */
export type ShedReason = (typeof SHED_REASONS)[number];

/** What a process takes on, where that is not the default. */
export interface OverloadBounds extends RoundBounds {
  /** Requests under way at once: what waits for a database that is slow or away is memory, some 20 kB each. */
  readonly inFlightMax: number;
}

export interface OverloadOptions {
  readonly log: Log;
  readonly drain: Drain;
  readonly metrics: Metrics | null;
  readonly constant: ConstantHeaders;
  readonly links: HelpLinks;
  readonly newRequestId: () => string;
  /** Is told of connections that end with the answer to a shed request. */
  readonly closing: WeakSet<Duplex>;
  readonly bounds?: Partial<OverloadBounds>;
  readonly loop?: Loop;
}

/**
 * Twice what one app may have waiting by design (a thousand searches and a thousand pages of the feed, decision 0122),
 * and then some: a hundred megabytes.
 */
const IN_FLIGHT_MAX = 5_000;
/**
 * Those that were shed come back over so many seconds, each told another in turn: all in the same one would be the next
 * wave. At four times the capacity three capacities are shed in a second, and an eighth of that comes back in each.
 */
const RETRY_SPREAD_SECONDS = 8;
/** The log has at most one line for shed requests in so many milliseconds: a line for each would cost what shedding saves. */
const LOG_EVERY_MS = 1_000;
const CODE: ErrorCode = 'temporarily_unavailable';
const BODY = `{"error":"${CODE}"}`;
/** Asked by balancers and supervisors: one that took an overloaded node out would kill the others. */
const HEALTH_PATHS: ReadonlySet<string> = new Set(['/livez', '/readyz']);

/**
 * Refuses at once, before anything else is done, what the process cannot serve in time: 503 `temporarily_unavailable`
 * with `Retry-After` (decision 0122). It keeps no state that must recover: each round of the event loop begins anew.
 */
export class Overload {
  readonly #options: OverloadOptions;
  readonly #loop: Loop;
  readonly #round: LoopRound;
  readonly #connections: ShedConnections;
  readonly #inFlightMax: number;
  readonly #count: (reason: ShedReason) => void;
  readonly #headers: readonly string[];
  #inFlight = 0;
  #shed = 0;
  /** How many the log knows of, and since when. */
  #logged = 0;
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  #lateLog: NodeJS.Timeout | undefined;

  constructor(options: OverloadOptions) {
    const { inFlightMax, ...round } = {
      ...ROUND_BOUNDS,
      inFlightMax: IN_FLIGHT_MAX,
      ...options.bounds,
    };
    this.#options = options;
    this.#loop = options.loop ?? thisLoop;
    this.#round = new LoopRound(this.#loop, round);
    this.#connections = new ShedConnections(this.#loop);
    this.#inFlightMax = inFlightMax;
    this.#count = addMetrics(options.metrics, {
      inFlight: () => this.#inFlight,
      held: () => this.#connections.held,
    });
    this.#headers = Object.entries({
      ...options.constant,
      link: options.links(CODE),
      'content-type': JSON_TYPE,
      'content-length': String(BODY.length),
    }).flat();
  }

  /** Stands before whatever answers the requests of a server. */
  guard(server: Server): void {
    const listeners = server.listeners('request');
    server.removeAllListeners('request');
    server.on('request', (request: IncomingMessage, response: ServerResponse): void => {
      if (!this.#admit(request, response)) return;
      for (const listener of listeners) listener.call(server, request, response);
    });
  }

  /** False: the request has been shed. */
  #admit(request: IncomingMessage, response: ServerResponse): boolean {
    // Also where the answer is known to be yes: the first of a round begins it.
    const hasTime = this.#round.hasTime();
    const isFull = this.#inFlight >= this.#inFlightMax;
    if ((!hasTime || isFull) && !isHealth(request.url ?? '')) {
      this.#refuse(request, response, hasTime ? 'in_flight' : 'loop');
      return false;
    }
    this.#connections.admit();
    // A pipelined request has no socket yet, and Node tells no end of it when the connection breaks.
    if (response.socket !== null) {
      this.#inFlight += 1;
      response.once('close', this.#leave);
    }
    return true;
  }

  readonly #leave = (): void => {
    this.#inFlight -= 1;
  };

  #refuse(request: IncomingMessage, response: ServerResponse, reason: ShedReason): void {
    const { drain, newRequestId, closing } = this.#options;
    const retrySeconds = HOLD_SECONDS_MAX + (this.#shed++ % RETRY_SPREAD_SECONDS);
    const headers = [...this.#headers, 'x-request-id', newRequestId()];
    headers.push('retry-after', String(retrySeconds));
    // What comes of a body would be read as the next request.
    const isLast = hasBody(request) || drain.isDraining;
    if (isLast) headers.push('connection', 'close');
    response.writeHead(503, headers);
    response.end(BODY);
    if (isLast) closing.add(request.socket);
    else this.#connections.hold(request.socket);
    this.#count(reason);
    this.#log(reason);
  }

  /** The first of an overload at once, then their number once a second. */
  #log(reason: ShedReason): void {
    if (this.#loop.now() - this.#loggedAtMs >= LOG_EVERY_MS) this.#logShed(reason);
    else this.#lateLog ??= setTimeout(() => this.#logShed(reason), LOG_EVERY_MS).unref();
  }

  #logShed(reason: ShedReason): void {
    clearTimeout(this.#lateLog);
    this.#lateLog = undefined;
    const shed = this.#shed - this.#logged;
    if (shed === 0) return;
    this.#loggedAtMs = this.#loop.now();
    this.#logged = this.#shed;
    this.#options.log.warn(
      { shed, reason, inFlight: this.#inFlight },
      'requests are shed: they are more than this process can serve',
    );
  }
}

function addMetrics(
  metrics: Metrics | null,
  read: { readonly inFlight: () => number; readonly held: () => number },
): (reason: ShedReason) => void {
  if (metrics === null) return () => undefined;
  metrics.addGauge(
    'cardport_http_requests_in_flight',
    'Requests that are being answered.',
    read.inFlight,
  );
  metrics.addGauge(
    'cardport_http_connections_held',
    'Connections that are not read for up to two seconds, because a request on them was shed.',
    read.held,
  );
  return metrics.addCounter(
    'cardport_http_requests_shed_total',
    'Requests refused at once (503): the event loop had no time, or too many were under way.',
    { name: 'reason', values: SHED_REASONS },
  );
}

function isHealth(url: string): boolean {
  const query = url.indexOf('?');
  return HEALTH_PATHS.has(query === -1 ? url : url.slice(0, query));
}

/** Whether the request announces a body; it has not been read, since the headers have only just been. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}
