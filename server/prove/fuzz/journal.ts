import { HOSTILE_TEXTS } from './mutation.ts';

/** One request of a case. */
export interface SentRequest {
  readonly area: string;
  /** The fuzz case that sent the request. */
  readonly caseName: string;
  /** The key for counting: the operation of a document, or a path pattern. */
  readonly label: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | null;
}

/** The response to a request. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly ms: number;
}

/** The maximum number of different failures shown, because one bug can cause many. */
const FAILURES_MAX = 25;
const SHOWN_CHARACTERS_MAX = 700;
/** Headers that do not help to explain a failure. */
const UNSHOWN =
  /^(?:date|connection|keep-alive|cross-origin|referrer|x-frame|content-security|ratelimit)/;
const REQUEST_IDS_MAX = 5_000;

interface Count {
  requests: number;
  slowestMs: number;
  readonly statuses: Map<number, number>;
}

/** The requests, answers and failures of a run. */
export class Journal {
  readonly counts = new Map<string, Map<string, Count>>();
  readonly failures = new Map<string, string>();
  readonly #secrets: () => readonly string[];
  readonly #requestIds = new Map<string, string>();
  cases = 0;
  /** The number of 503 responses. */
  shed = 0;

  /** `secrets` are never printed. */
  constructor(secrets: () => readonly string[]) {
    this.#secrets = secrets;
  }

  get isFull(): boolean {
    return this.failures.size >= FAILURES_MAX;
  }

  note(sent: SentRequest, { status, ms, headers }: Answer): void {
    const labels = this.counts.get(sent.area) ?? new Map<string, Count>();
    this.counts.set(sent.area, labels);
    const count = labels.get(sent.label) ?? { requests: 0, slowestMs: 0, statuses: new Map() };
    labels.set(sent.label, count);
    count.requests += 1;
    count.slowestMs = Math.max(count.slowestMs, ms);
    count.statuses.set(status, (count.statuses.get(status) ?? 0) + 1);
    const requestId = headers['x-request-id'];
    if (typeof requestId === 'string') this.#remember(requestId, sent);
  }

  #remember(requestId: string, sent: SentRequest): void {
    this.#requestIds.set(requestId, this.describe(sent));
    const [oldest] = this.#requestIds.keys();
    if (this.#requestIds.size > REQUEST_IDS_MAX && oldest !== undefined) {
      this.#requestIds.delete(oldest);
    }
  }

  /** Returns the description of the request that has this id in the service's log. */
  findRequest(requestId: string): string {
    return this.#requestIds.get(requestId) ?? 'an unknown request';
  }

  /** Records a failure unless one of the same kind is known. */
  fail(kind: string, sent: SentRequest, answer: Answer | null): void {
    const shown = answer === null ? 'no answer' : describeAnswer(answer);
    this.failWith(`${sent.label}: ${kind}`, `${this.describe(sent)}\n  answered: ${shown}`);
  }

  failWith(kind: string, text: string): void {
    const key = kind.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>').slice(0, 300);
    if (!this.failures.has(key) && !this.isFull) this.failures.set(key, this.#hide(text));
  }

  describe({ caseName, method, path, headers = {}, body = null }: SentRequest): string {
    const lines = Object.entries(headers).map(([name, value]) => cut(`${name}: ${value}`));
    const text =
      body === null ? '' : JSON.stringify(body.toString().slice(0, SHOWN_CHARACTERS_MAX));
    const length = body === null ? '' : ` (${body.length} bytes)`;
    return `case ${caseName}\n  ${method} ${cut(path)}\n  ${lines.join('\n  ')}\n  ${text}${length}`;
  }

  #hide(text: string): string {
    const known = this.#secrets().filter(
      (secret) => secret !== '' && !HOSTILE_TEXTS.includes(secret),
    );
    const shown = known.reduce((left, secret) => left.replaceAll(secret, '[secret]'), text);
    return shown.replaceAll(/\b(cpa|cpr|cpc|cpi|cps|cpw|csk|whsec)_[\w+/=-]+/g, '$1_[secret]');
  }
}

function describeAnswer({ status, headers, body, ms }: Answer): string {
  const shown = Object.entries(headers).filter(([name]) => !UNSHOWN.test(name));
  const lines = shown.map(([name, value]) => cut(`${name}: ${String(value)}`));
  const text = JSON.stringify(body.toString().slice(0, SHOWN_CHARACTERS_MAX));
  return `${status} after ${ms.toFixed(0)} ms\n    ${lines.join('\n    ')}\n    ${text}`;
}

function cut(text: string): string {
  if (text.length <= SHOWN_CHARACTERS_MAX) return text;
  return `${text.slice(0, SHOWN_CHARACTERS_MAX)}… (${text.length} characters)`;
}
