import type {
  AttemptError,
  AttemptResult,
  NoticeSender,
  SignedNotice,
} from '../webhooks/attempt.ts';
import { AttemptFault, kindOfExchangeError } from './attempt-fault.ts';
import { isGlobalUnicast } from './guard.ts';
import { connectGuarded, type ConnectRules } from './guarded-connect.ts';
import { type AnswerHead, type Exchange, Post, type PostLimits } from './post.ts';
import { type PoolLimits, ReceiverAgent } from './receiver-agent.ts';
import { resolveHost, type ResolveHost } from './resolve-host.ts';
import { readRetryAfter } from './retry-after.ts';

/** Every bound of sending. */
export interface SenderLimits extends PostLimits, PoolLimits {
  /** Names, TCP and TLS together. */
  readonly connectMs: number;
  /** From the call to the answer's headers, waiting for a connection included. */
  readonly attemptMs: number;
}

/** What a sender goes by unless a test says otherwise (decision 0103). */
export const senderLimits: SenderLimits = {
  connectMs: 5_000,
  attemptMs: 15_000,
  headerBytes: 16_384,
  bodyBytes: 4_096,
  // Half the pace of 1 s between two notices of a connection: the next one finds its connection free, or gone, and not still
  // draining, where a second connection would be opened beside it. Less cuts receivers that are slow to end an answer.
  drainMs: 500,
  // Less than the 5 s after which node:http, the shortest of the usual servers, closes.
  idleMs: 4_000,
  // As many as a worker has in flight to one origin: more would never be used, fewer would keep it waiting.
  // Twice the slots of an origin. A pool of undici at its limit is busy, and stays so when all its connections fail at once:
  // the agent would keep the origin until it is used again.
  socketsPerOrigin: 128,
  // File descriptors: twice what is in flight.
  idleSockets: 512,
};

export interface GuardedSenderOptions {
  /** Lets http and the literal loopback hosts pass, for development. */
  readonly allowsLoopback: boolean;
  /** The instant that a date in `Retry-After` is measured from. */
  readonly now?: () => Date;
  readonly limits?: Partial<SenderLimits>;
  /** For tests: how names are resolved. */
  readonly resolve?: ResolveHost;
  /** For tests: which addresses a name may lead to. */
  readonly isAllowedAddress?: (address: string) => boolean;
  /** For tests: certificates of authorities in PEM, in place of the machine's. */
  readonly ca?: string;
}

/**
 * Sends notices to untrusted receivers (decisions 0103, 0103): under the guard, without proxies, redirects,
 * cookies or compression, each within its time, with bounded answers, over connections that are kept for some seconds.
 */
export function openGuardedSender(options: GuardedSenderOptions): GuardedSender {
  return new GuardedSender(options);
}

/** See `openGuardedSender`. */
export class GuardedSender implements NoticeSender {
  readonly #agent: ReceiverAgent;
  readonly #limits: SenderLimits;
  readonly #now: () => Date;
  readonly #closing = new AbortController();
  readonly #attempts = new Set<AbortController>();

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

  /** Connections that are kept without a notice, and origins that anything is kept for. */
  get kept(): { readonly idle: number; readonly origins: number } {
    return this.#agent.kept;
  }

  async send(notice: SignedNotice, signal: AbortSignal): Promise<AttemptResult> {
    const beginMs = performance.now();
    const attempt = new AbortController();
    const late = setTimeout(() => {
      attempt.abort(new AttemptFault('timeout', `no answer within ${this.#limits.attemptMs} ms`));
    }, this.#limits.attemptMs);
    const breakOff = (): void => attempt.abort(new AttemptFault('interrupted', 'broken off'));
    signal.addEventListener('abort', breakOff, { once: true });
    if (signal.aborted || this.#closing.signal.aborted) breakOff();
    this.#attempts.add(attempt);
    try {
      const exchange = await this.#exchange(
        notice,
        attempt.signal,
        beginMs + this.#limits.attemptMs,
      );
      const latencyMs = Math.round(performance.now() - beginMs);
      if (exchange.kind === 'answered') return this.#judge(exchange.head, latencyMs);
      const error = kindOfExchangeError(exchange.error);
      const result = failed(error, null, latencyMs);
      return exchange.isStale && error === 'reset' ? { ...result, isStale: true } : result;
    } catch (error) {
      return failed(kindOfExchangeError(error), null, Math.round(performance.now() - beginMs));
    } finally {
      clearTimeout(late);
      this.#attempts.delete(attempt);
      signal.removeEventListener('abort', breakOff);
    }
  }

  /** Breaks off what is under way (`interrupted`) and ends every connection. What is sent afterwards is `interrupted`. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const attempt of this.#attempts) {
      attempt.abort(new AttemptFault('interrupted', 'the sender was closed'));
    }
    this.#agent.close(new AttemptFault('interrupted', 'the sender was closed'));
    await Promise.resolve();
  }

  /** Posts once, also when it fails: an attempt is one row of the log, which has to agree with what the receiver saw. */
  async #exchange(notice: SignedNotice, signal: AbortSignal, untilMs: number): Promise<Exchange> {
    const url = URL.parse(notice.url);
    if (url === null || !/^https?:$/.test(url.protocol)) {
      throw new AttemptFault('blocked_address', 'no address that notices go to');
    }
    const { origin, pathname, search } = url;
    const { headers, body } = notice;
    const post = new Post(this.#limits, untilMs, signal);
    if (!signal.aborted) {
      this.#agent.dispatch({ origin, path: `${pathname}${search}`, headers, body }, post);
    }
    return await post.exchange;
  }

  #judge({ status, retryAfter }: AnswerHead, latencyMs: number): AttemptResult {
    if (status >= 200 && status < 300) return { kind: 'delivered', status, latencyMs };
    if (status >= 300 && status < 400) return failed('redirect', status, latencyMs);
    if (status === 410) return failed('gone', status, latencyMs);
    const mayAskForTime = status === 429 || status === 503;
    const seconds = mayAskForTime ? readRetryAfter(retryAfter, this.#now()) : null;
    return failed('status', status, latencyMs, seconds);
  }
}

function failed(
  error: AttemptError,
  status: number | null,
  latencyMs: number,
  retryAfterSeconds: number | null = null,
): Extract<AttemptResult, { kind: 'failed' }> {
  return { kind: 'failed', status, error, latencyMs, retryAfterSeconds };
}
