import { errorOfAnswer, requestIdOf } from './error-of-answer.ts';
import { CardportError, type ErrorFacts, retryAfterOf } from './errors.ts';
import { fetchBounded } from './fetch-bounded.ts';
import { MalformedAnswerError } from './local-errors.ts';
import type { AnswerHeaders, Fetch, Signal } from './platform.ts';
import { retryDelayMs, type RetryNews, retryPolicy, type RetryPolicy, wait } from './retry.ts';
import { VERSION } from './version.ts';

/** Longer than the slowest answer of a service that is well, shorter than a person's patience. */
const TIMEOUT_MS = 30_000;

/** A page of 1,000 units is about 1 MB, a photo less; nothing that the service sends comes near this. */
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

/** How requests are sent. */
export interface TransportOptions {
  readonly fetch?: Fetch;
  /** For one try, to the last byte of the answer. 30,000 unless given. */
  readonly timeoutMs?: number;
  readonly retry?: Partial<RetryPolicy>;
  readonly onRetry?: (retry: RetryNews) => void;
  /** The app's name and version, put before the SDK's own in `User-Agent`. */
  readonly userAgent?: string;
  /** Milliseconds since 1970; `Date.now` unless given. */
  readonly now?: () => number;
  /** The page that has a section for each code, without `#`; errors lead there. */
  readonly docsUrl: string;
}

/** One call. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Statuses beside 2xx that are an answer, not an error: 304. */
  readonly alsoAccepts?: readonly number[];
  /** Bytes of the answer at most; more is a {@link MalformedAnswerError}. 32 MiB unless given. */
  readonly answerBytesMax?: number;
  readonly signal?: Signal | undefined;
  /** False tries once: the caller repeats by itself. */
  readonly isRetried?: boolean;
  /** A shorter `totalMsMax` than the policy's: what is asked for is worth nothing afterwards. */
  readonly totalMsMax?: number | undefined;
}

/** A whole answer. */
export interface TransportAnswer {
  /** Method and path of the request, without query: errors name it. */
  readonly call: string;
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly bytes: Uint8Array;
  /** The body as JSON; anything else is a {@link MalformedAnswerError}. */
  json(): unknown;
}

/** Sends requests: bounded in bytes, tries and time, and repeated while that may help (decision 0142). */
export interface Transport {
  /**
   * Answers with a 2xx. Any other answer throws the error of its code; no answer throws `ConnectionFailedError` or
   * `AnswerTimeoutError`; an aborted signal throws its reason.
   */
  send(request: TransportRequest): Promise<TransportAnswer>;
  /** The clock that the transport goes by. */
  readonly now: () => number;
}

/** A transport over `fetch`. */
export function openTransport(options: TransportOptions): Transport {
  const policy = retryPolicy(options.retry);
  const now = options.now ?? Date.now;
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  // Looked up at each call, so that a test or an agent that replaces the global is heard.
  const send: Fetch = options.fetch ?? (async (url, init) => await fetch(url, init));
  const agent = userAgent(options.userAgent);

  async function tryOnce(request: TransportRequest): Promise<TransportAnswer> {
    const headers = { ...agent, accept: 'application/json', ...request.headers };
    const bytesMax = request.answerBytesMax ?? ANSWER_BYTES_MAX;
    const call = callOf(request);
    const answer = await fetchBounded(send, { ...request, call, headers, bytesMax, timeoutMs });
    const { status } = answer;
    const isGood = (status >= 200 && status < 300) || request.alsoAccepts?.includes(status);
    if (isGood !== true) {
      const refused = { ...answer, request: { call, url: request.url } };
      throw errorOfAnswer(refused, options.docsUrl, now());
    }
    const requestId = requestIdOf(answer.headers);
    return { ...answer, call, json: () => parseJson(answer.bytes, { call, status, requestId }) };
  }

  return {
    now,
    send: async (request) => {
      const { totalMsMax = policy.totalMsMax } = request;
      const deadline = now() + Math.min(totalMsMax, policy.totalMsMax);
      for (let tries = 1; ; tries++) {
        try {
          return await tryOnce(request);
        } catch (error) {
          if (!(error instanceof CardportError) || !error.isRetryable) throw error;
          const delayMs = retryDelayMs(policy, tries, retryAfterOf(error));
          const isLast = request.isRetried === false || tries >= policy.triesMax;
          // A wait shorter than the service asks for would be in vain: the caller is told at once.
          if (isLast || now() + delayMs > deadline) throw error;
          options.onRetry?.(newsOf(request, error, tries, delayMs));
          await wait(delayMs, request.signal);
        }
      }
    },
  };
}

function callOf({ method, url }: TransportRequest): string {
  return `${method} ${new URL(url).pathname}`;
}

function newsOf(
  request: TransportRequest,
  { code, status, requestId }: CardportError,
  tries: number,
  delayMs: number,
): RetryNews {
  return { code, status, requestId, call: callOf(request), tries, delayMs: Math.round(delayMs) };
}

function parseJson(bytes: Uint8Array, facts: ErrorFacts): unknown {
  try {
    // A byte order mark is skipped, ill-formed UTF-8 is a fault: no name may change on its way.
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return value;
  } catch {
    const message = 'the answer is no JSON; is `baseUrl` the address of the Partner API?';
    throw new MalformedAnswerError({ ...facts, message });
  }
}

/** In a browser the header is not ours to set. */
function userAgent(app: string | undefined): Readonly<Record<string, string>> {
  if ('document' in globalThis) return {};
  const own = `cardport-client/${VERSION}`;
  return { 'user-agent': app === undefined ? own : `${app} ${own}` };
}
