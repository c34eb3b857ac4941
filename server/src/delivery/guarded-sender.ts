import { hasJustResumed, runningMs } from '../base/process-pauses.ts';
import type {
  AttemptError,
  AttemptResult,
  WebhookSender,
  SignedRequest,
} from '../webhooks/attempt.ts';
import { AttemptFault, classifyExchangeError } from './attempt-fault.ts';
import { isGlobalUnicast } from './address-guard.ts';
import { connectGuarded, type ConnectRules } from './guarded-connect.ts';
import { type ResponseHead, PostHandler, type PostLimits } from './post-handler.ts';
import { type PoolLimits, ReceiverAgent } from './receiver-agent.ts';
import { resolveHost, type ResolveHost } from './resolve-host.ts';
import { readRetryAfter } from './retry-after.ts';

export interface SenderLimits extends PostLimits, PoolLimits {
  /** The time limit for DNS, TCP and TLS together. */
  readonly connectMs: number;
  /** The time limit from the call to the response headers, including the wait for a connection. */
  readonly attemptMs: number;
}

export const senderLimits: SenderLimits = {
  connectMs: 5_000,
  attemptMs: 15_000,
  headerBytes: 16_384,
  bodyBytes: 4_096,
  // Half the minimum interval of 1 s, so that the next event of a connection never finds its socket
  // busy and opens a second one. A lower limit would cut off slow responses.
  drainMs: 500,
  // Less than 5 s, the default of node:http and the shortest keep-alive timeout of common servers.
  idleMs: 4_000,
  // Twice the deliveries that a worker has in flight to one origin (60 and 4 slow), so that the
  // pool never reaches this limit. An undici pool at its limit stays busy when all its connections
  // fail together, and the agent would keep that pool until the next event.
  socketsPerOrigin: 128,
  // Together with the 1,536 deliveries in flight, this limits the file descriptors to about 2,048.
  idleSockets: 512,
};

export interface GuardedSenderOptions {
  /** For development: allows http and literal loopback hosts. */
  readonly allowsLoopback: boolean;
  /** Returns the time from which a date in `Retry-After` is measured. */
  readonly now?: () => Date;
  readonly limits?: Partial<SenderLimits>;
  /** For tests. */
  readonly resolve?: ResolveHost;
  /** For tests. */
  readonly isAllowedAddress?: (address: string) => boolean;
  /** For tests: PEM certificates of trusted authorities that replace those of the system. */
  readonly ca?: string;
}

/**
 * For untrusted receivers (spec 6, decision 0103): sends only to allowed addresses, without
 * proxies, redirects, cookies or compression, with limits on time, response size and keep-alive.
 */
export function openGuardedSender(options: GuardedSenderOptions): GuardedSender {
  return new GuardedSender(options);
}

export class GuardedSender implements WebhookSender {
  readonly #agent: ReceiverAgent;
  readonly #limits: SenderLimits;
  readonly #now: () => Date;
  readonly #attempts = new Set<PostHandler>();
  // The attempts in progress, by the signal that aborts them. All attempts of a signal share one
  // listener, because adding a listener takes longer the more of them a signal has.
  readonly #attemptsBySignal = new WeakMap<AbortSignal, Set<PostHandler>>();
  #isClosed = false;

  constructor(options: GuardedSenderOptions) {
    const limits = { ...senderLimits, ...options.limits };
    const rules: ConnectRules = {
      allowsLoopback: options.allowsLoopback,
      resolve: options.resolve ?? resolveHost,
      isAllowedAddress: options.isAllowedAddress ?? isGlobalUnicast,
      connectMs: limits.connectMs,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    };
    this.#limits = limits;
    this.#now = options.now ?? ((): Date => new Date());
    this.#agent = new ReceiverAgent(
      async (origin, signal) => await connectGuarded(rules, origin, signal),
      limits,
    );
  }

  get poolStats(): { readonly idle: number; readonly origins: number } {
    return this.#agent.poolStats;
  }

  async send(request: SignedRequest, signal: AbortSignal): Promise<AttemptResult> {
    const startedAtMs = runningMs();
    const { attemptMs } = this.#limits;
    const post = new PostHandler(this.#limits, performance.now() + attemptMs);
    const attempts = this.#attemptsOf(signal).add(post);
    this.#attempts.add(post);
    const timer = setTimeout(() => {
      post.abort(new AttemptFault('timeout', `no response within ${attemptMs} ms`));
    }, attemptMs);
    try {
      if (signal.aborted || this.#isClosed) throw new AttemptFault('interrupted', 'aborted');
      this.#dispatch(request, post);
      const exchange = await post.exchange;
      const latencyMs = Math.round(runningMs() - startedAtMs);
      if (exchange.kind === 'answered') return this.#toResult(exchange.head, latencyMs);
      // Before the first byte of a response, a pause of this process can look like any failure.
      const error = hasJustResumed() ? 'interrupted' : classifyExchangeError(exchange.error);
      const result = failedResult(error, null, latencyMs);
      return exchange.isStale && error === 'reset' ? { ...result, isStale: true } : result;
    } catch (error) {
      return failedResult(
        classifyExchangeError(error),
        null,
        Math.round(runningMs() - startedAtMs),
      );
    } finally {
      clearTimeout(timer);
      attempts.delete(post);
      this.#attempts.delete(post);
    }
  }

  #attemptsOf(signal: AbortSignal): Set<PostHandler> {
    const known = this.#attemptsBySignal.get(signal);
    if (known !== undefined) return known;
    const attempts = new Set<PostHandler>();
    this.#attemptsBySignal.set(signal, attempts);
    signal.addEventListener('abort', () => abortAll(attempts, 'aborted'), { once: true });
    return attempts;
  }

  /** Aborts all attempts. These attempts and any later attempts end as `interrupted`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    abortAll(this.#attempts, 'the sender was closed');
    this.#agent.close(new AttemptFault('interrupted', 'the sender was closed'));
    await Promise.resolve();
  }

  /** Never repeats a POST, because a row of the attempt log must match what the receiver saw. */
  #dispatch({ url, headers, body }: SignedRequest, post: PostHandler): void {
    const target = URL.parse(url);
    if (target === null || !/^https?:$/.test(target.protocol)) {
      throw new AttemptFault('blocked_address', 'the webhook URL is not an http or https URL');
    }
    const { origin, pathname, search } = target;
    this.#agent.dispatch({ origin, path: `${pathname}${search}`, headers, body }, post);
  }

  #toResult({ status, retryAfter }: ResponseHead, latencyMs: number): AttemptResult {
    if (status >= 200 && status < 300) return { kind: 'delivered', status, latencyMs };
    if (status >= 300 && status < 400) return failedResult('redirect', status, latencyMs);
    if (status === 410) return failedResult('gone', status, latencyMs);
    const honorsRetryAfter = status === 429 || status === 503;
    const seconds = honorsRetryAfter ? readRetryAfter(retryAfter, this.#now()) : null;
    return failedResult('status', status, latencyMs, seconds);
  }
}

function abortAll(attempts: ReadonlySet<PostHandler>, message: string): void {
  for (const post of attempts) post.abort(new AttemptFault('interrupted', message));
}

function failedResult(
  error: AttemptError,
  status: number | null,
  latencyMs: number,
  retryAfterSeconds: number | null = null,
): Extract<AttemptResult, { kind: 'failed' }> {
  return { kind: 'failed', status, error, latencyMs, retryAfterSeconds };
}
