import type { Clock } from '../base/clock.ts';

const REQUESTS_MAX = 200;
/** Longer paths are truncated. A path with a cursor has about 100 characters. */
const PATH_CHARACTERS_MAX = 500;

/** A request that the proxy received, in the format of the admin API. */
export interface LoggedRequest {
  /** The number of the request since the start or the last reset, from 1. */
  readonly number: number;
  readonly at: Date;
  readonly method: string;
  /** The path with its query, truncated to 500 characters. */
  readonly path: string;
  /** The status of the response, even if a fault kept it from the app; null before the response. */
  readonly status: number | null;
  /** The faults applied to the request, separated by `, `, or null. */
  readonly fault: string | null;
}

export class RequestLog {
  readonly #clock: Clock;
  #requests: LoggedRequest[] = [];
  #total = 0;
  #faulted = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get counts(): { readonly total: number; readonly faulted: number } {
    return { total: this.#total, faulted: this.#faulted };
  }

  /** Logs a request and returns a function to call when the request has ended. */
  begin(method: string, path: string): (end: Pick<LoggedRequest, 'status' | 'fault'>) => void {
    const number = ++this.#total;
    const at = this.#clock.now();
    const begun = { number, at, method, path: path.slice(0, PATH_CHARACTERS_MAX) };
    this.#requests.push({ ...begun, status: null, fault: null });
    if (this.#requests.length > REQUESTS_MAX) this.#requests.shift();
    return (end) => {
      if (end.fault !== null) this.#faulted++;
      this.#requests = this.#requests.map((each) =>
        each.number === number && each.at === at ? { ...begun, ...end } : each,
      );
    };
  }

  /** Lists the requests with a number above `since`, oldest first. */
  list(since: number): readonly LoggedRequest[] {
    return this.#requests.filter(({ number }) => number > since);
  }

  clear(): void {
    this.#requests = [];
    this.#total = 0;
    this.#faulted = 0;
  }
}
