import { AnswerTimeoutError, ConnectionFailedError, MalformedAnswerError } from './local-errors.ts';
import type { AnswerHeaders, ByteReader, Fetch, FetchAnswer, Signal } from './platform.ts';
import { reasonOf, throwIfAborted } from './retry.ts';
import { redactSecrets } from './redact.ts';

export interface BoundedRequest {
  /** Method and path of the call, for error messages. */
  readonly call: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly bytesMax: number;
  readonly timeoutMs: number;
  readonly signal?: Signal | undefined;
}

export interface BoundedResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly bytes: Uint8Array;
}

/**
 * Reads the complete body within a time and size limit. Throws `ConnectionFailedError`,
 * `AnswerTimeoutError`, `MalformedAnswerError` (body too large), or the aborted signal's reason.
 */
export async function fetchBounded(
  fetch: Fetch,
  request: BoundedRequest,
): Promise<BoundedResponse> {
  const { call, method, url, headers, body, bytesMax, timeoutMs, signal } = request;
  throwIfAborted(signal);
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  // Ends the wait even if a custom `fetch` ignores its signal.
  const stopped = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => reject(new Error('stopped')));
  });
  const timer = setTimeout(abort, timeoutMs);
  signal?.addEventListener('abort', abort);

  async function fetchWhole(): Promise<BoundedResponse> {
    const response = await fetch(url, {
      method,
      headers: { ...headers },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: controller.signal,
    });
    const bytes = await readBody(response, bytesMax, call);
    return { status: response.status, headers: response.headers, bytes };
  }

  try {
    return await Promise.race([fetchWhole(), stopped]);
  } catch (error) {
    if (error instanceof MalformedAnswerError) throw error;
    if (signal?.aborted === true) throw reasonOf(signal);
    if (controller.signal.aborted) {
      throw new AnswerTimeoutError({
        message: `no complete response within ${timeoutMs} ms`,
        call,
      });
    }
    throw new ConnectionFailedError({ message: describeError(error), call });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

async function readBody(
  response: FetchAnswer,
  bytesMax: number,
  call: string,
): Promise<Uint8Array> {
  if (response.body === null) return new Uint8Array(0);
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return concatChunks(chunks, length);
    if (value === undefined) continue;
    length += value.byteLength;
    if (length > bytesMax) {
      await cancelReader(reader);
      const message = `the response is larger than ${bytesMax} bytes`;
      throw new MalformedAnswerError({ message, call, status: response.status });
    }
    chunks.push(value);
  }
}

async function cancelReader(reader: ByteReader): Promise<void> {
  try {
    await reader.cancel();
  } catch {
    // The stream has already failed, so there is nothing to cancel.
  }
}

function concatChunks(chunks: readonly Uint8Array[], length: number): Uint8Array {
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

/** The depth of causes to read: the message `fetch failed` gives no reason, but its causes do. */
const CAUSES_MAX = 4;

/** Returns text, not a `cause`: a custom `fetch` may attach the request, which has the token. */
function describeError(fault: unknown): string {
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
  return redactSecrets(parts.filter((part) => part !== '').join(': ') || 'no response');
}
