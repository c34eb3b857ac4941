import { AnswerTimeoutError, ConnectionFailedError, MalformedAnswerError } from './local-errors.ts';
import type { AnswerHeaders, ByteReader, Fetch, FetchAnswer, Signal } from './platform.ts';
import { reasonOf, throwIfAborted } from './retry.ts';
import { withoutSecrets } from './without-secrets.ts';

/** One try of one call. */
export interface BoundedRequest {
  /** As errors name it. */
  readonly call: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly bytesMax: number;
  readonly timeoutMs: number;
  readonly signal?: Signal | undefined;
}

/** An answer to its last byte. */
export interface BoundedAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly bytes: Uint8Array;
}

/**
 * Fetches and reads the whole body, within a time and a number of bytes. Throws `ConnectionFailedError`,
 * `AnswerTimeoutError`, `MalformedAnswerError` (too large), or the reason of the aborted signal.
 */
export async function fetchBounded(fetch: Fetch, request: BoundedRequest): Promise<BoundedAnswer> {
  const { call, method, url, headers, body, bytesMax, timeoutMs, signal } = request;
  throwIfAborted(signal);
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  // A `fetch` that the app brings may not mind its signal: this ends the wait all the same.
  const stopped = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => reject(new Error('stopped')));
  });
  const timer = setTimeout(abort, timeoutMs);
  signal?.addEventListener('abort', abort);

  async function fetchWhole(): Promise<BoundedAnswer> {
    const answer = await fetch(url, {
      method,
      headers: { ...headers },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: controller.signal,
    });
    const bytes = await readBody(answer, bytesMax, call);
    return { status: answer.status, headers: answer.headers, bytes };
  }

  try {
    return await Promise.race([fetchWhole(), stopped]);
  } catch (error) {
    if (error instanceof MalformedAnswerError) throw error;
    if (signal?.aborted === true) throw reasonOf(signal);
    if (controller.signal.aborted) {
      throw new AnswerTimeoutError({ message: `no whole answer in ${timeoutMs} ms`, call });
    }
    throw new ConnectionFailedError({ message: describeFault(error), call });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

async function readBody(answer: FetchAnswer, bytesMax: number, call: string): Promise<Uint8Array> {
  if (answer.body === null) return new Uint8Array(0);
  const reader = answer.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return joined(chunks, length);
    if (value === undefined) continue;
    length += value.byteLength;
    if (length > bytesMax) {
      await giveUp(reader);
      const message = `the answer has more than ${bytesMax} bytes`;
      throw new MalformedAnswerError({ message, call, status: answer.status });
    }
    chunks.push(value);
  }
}

async function giveUp(reader: ByteReader): Promise<void> {
  try {
    await reader.cancel();
  } catch {
    // The stream has broken by itself: there is nothing left to end.
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) return first;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

/** Causes that are looked into: `fetch failed` itself says nothing, its cause names the fault. */
const CAUSES_MAX = 4;

/**
 * Message and code of a fault and its causes. The fault itself is not kept as `cause`: a `fetch` that the app brings may
 * hold the request in it, and with that the token.
 */
function describeFault(fault: unknown): string {
  const parts: string[] = [];
  let at: unknown = fault;
  for (let depth = 0; depth < CAUSES_MAX && at instanceof Error; depth++) {
    const code: unknown = Reflect.get(at, 'code');
    parts.push(
      typeof code === 'string' && !at.message.includes(code)
        ? `${at.message} (${code})`
        : at.message,
    );
    at = at.cause;
  }
  return withoutSecrets(parts.filter((part) => part !== '').join(': ') || 'no answer');
}
