import type { Clock } from '../base/clock.ts';

const REQUESTS_MAX = 200;
/** Characters of an address that are remembered; a cursor has some 100. */
const PATH_CHARACTERS_MAX = 500;

/** A request that came through the front, as the admin address shows it. */
export interface LoggedRequest {
  /** Counts from 1 since the start or the last reset. */
  readonly number: number;
  readonly at: Date;
  readonly method: string;
  /** With its query, cut at 500 characters. */
  readonly path: string;
  /** What the service answered, whether the app got to see it or not, or what came instead; null: none yet, or none. */
  readonly status: number | null;
  /** Which faults hit it, separated by `, `; null: none. */
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

  /** Notes that a request has come; the answer that is returned is called with its end. */
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

  /** Those with a higher number, as far as they are remembered; oldest first. */
  list(since: number): readonly LoggedRequest[] {
    return this.#requests.filter(({ number }) => number > since);
  }

  clear(): void {
    this.#requests = [];
    this.#total = 0;
    this.#faulted = 0;
  }
}
