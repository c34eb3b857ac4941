import type { Clock } from '../base/clock.ts';

const REQUESTS_MAX = 200;
/** A cursor has about 100. */
const PATH_CHARACTERS_MAX = 500;

/** A request that came through the proxy, as the admin API shows it. */
export interface LoggedRequest {
  /** Counts from 1 since the start or the last reset. */
  readonly number: number;
  readonly at: Date;
  readonly method: string;
  /** With its query, cut at 500 characters. */
  readonly path: string;
  /**
   * Of the service's response, even if the app did not receive it, or of its substitute; null until
   * there is one.
   */
  readonly status: number | null;
  /** The faults applied to it, separated by `, `; null for none. */
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

  /** Call the returned function when the request has ended. */
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

  /** The requests with a higher number, oldest first. */
  list(since: number): readonly LoggedRequest[] {
    return this.#requests.filter(({ number }) => number > since);
  }

  clear(): void {
    this.#requests = [];
    this.#total = 0;
    this.#faulted = 0;
  }
}
