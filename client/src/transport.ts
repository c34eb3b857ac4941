import { errorForResponse, requestIdOf } from './response-error.ts';
import { CardportError, type ErrorFacts, retryAfterOf } from './errors.ts';
import { fetchBounded } from './fetch-bounded.ts';
import { MalformedAnswerError } from './local-errors.ts';
import type { AnswerHeaders, Fetch, Signal } from './platform.ts';
import { retryDelayMs, type RetryEvent, retryPolicy, type RetryPolicy, wait } from './retry.ts';
import { VERSION } from './version.ts';

/** The default time limit of one attempt, longer than the slowest response of a healthy service. */
const TIMEOUT_MS = 30_000;

/** The default limit of a response. A page of 1,000 units is about 1 MB; a photo is smaller. */
const RESPONSE_BYTES_MAX = 32 * 1024 * 1024;

export interface TransportOptions {
  readonly fetch?: Fetch;
  /** The limit of one attempt, up to the last byte of the response. Defaults to 30,000. */
  readonly timeoutMs?: number;
  readonly retry?: Partial<RetryPolicy>;
  readonly onRetry?: (retry: RetryEvent) => void;
  /** The app's name and version. `User-Agent` contains them before those of the SDK. */
  readonly userAgent?: string;
  readonly now?: () => number;
  /** The URL of the page with a section for each error code, without a fragment. */
  readonly docsUrl: string;
}

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  /** Header names are in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Statuses other than 2xx that are not errors, such as 304. */
  readonly alsoAccepts?: readonly number[];
  /** A larger response is a {@link MalformedAnswerError}. Defaults to 32 MiB. */
  readonly responseBytesMax?: number;
  readonly signal?: Signal | undefined;
  /** False makes a single attempt, so that the caller can retry. */
  readonly isRetried?: boolean;
  /** Overrides the policy's `totalMsMax` for a result that would be useless after this time. */
  readonly totalMsMax?: number | undefined;
}

export interface TransportResponse {
  /** Method and path of the request without the query, for error messages. */
  readonly call: string;
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly bytes: Uint8Array;
  /** Returns the body parsed as JSON. Throws {@link MalformedAnswerError} if it is not JSON. */
  json(): unknown;
}

/** Sends requests with limits on size, attempts and time (decision 0140). */
export interface Transport {
  /**
   * Returns a 2xx response. Otherwise throws the error for its code, `ConnectionFailedError`,
   * `AnswerTimeoutError`, or the reason of the aborted signal.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  readonly now: () => number;
}

export function openTransport(options: TransportOptions): Transport {
  const policy = retryPolicy(options.retry);
  const now = options.now ?? Date.now;
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  // Reads the global `fetch` at each call, so that a test or a monitoring agent can replace it.
  const send: Fetch = options.fetch ?? (async (url, init) => await fetch(url, init));
  const agent = userAgent(options.userAgent);

  async function tryOnce(request: TransportRequest): Promise<TransportResponse> {
    const headers = { ...agent, accept: 'application/json', ...request.headers };
    const bytesMax = request.responseBytesMax ?? RESPONSE_BYTES_MAX;
    const call = callOf(request);
    const response = await fetchBounded(send, { ...request, call, headers, bytesMax, timeoutMs });
    const { status } = response;
    const isSuccess = (status >= 200 && status < 300) || request.alsoAccepts?.includes(status);
    if (isSuccess !== true) {
      const errorResponse = { ...response, request: { call, url: request.url } };
      throw errorForResponse(errorResponse, options.docsUrl, now());
    }
    const requestId = requestIdOf(response.headers);
    return {
      ...response,
      call,
      json: () => parseJson(response.bytes, { call, status, requestId }),
    };
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
          // An attempt before `Retry-After` would fail, so give up if that time is after the
          // deadline.
          if (isLast || now() + delayMs > deadline) throw error;
          options.onRetry?.(retryEventOf(request, error, tries, delayMs));
          await wait(delayMs, request.signal);
        }
      }
    },
  };
}

function callOf({ method, url }: TransportRequest): string {
  return `${method} ${new URL(url).pathname}`;
}

function retryEventOf(
  request: TransportRequest,
  { code, status, requestId }: CardportError,
  tries: number,
  delayMs: number,
): RetryEvent {
  return { code, status, requestId, call: callOf(request), tries, delayMs: Math.round(delayMs) };
}

function parseJson(bytes: Uint8Array, facts: ErrorFacts): unknown {
  try {
    // Skips a byte order mark. Invalid UTF-8 throws, so that no name is changed silently.
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return value;
  } catch {
    const message =
      'the response is not JSON: check that `baseUrl` is the address of the Partner API';
    throw new MalformedAnswerError({ ...facts, message });
  }
}

/** Returns the `User-Agent` header, or nothing in a browser, which does not allow it to be set. */
function userAgent(app: string | undefined): Readonly<Record<string, string>> {
  if ('document' in globalThis) return {};
  const own = `cardport-client/${VERSION}`;
  return { 'user-agent': app === undefined ? own : `${app} ${own}` };
}
