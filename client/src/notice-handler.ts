import { concatBytes } from './hmac.ts';
import {
  respondToNotice,
  BODY_MS_MAX,
  METHOD_NOT_ALLOWED,
  NOTICE_BYTES_MAX,
  type NoticeHandlerOptions,
} from './notice-response.ts';
import type { NoticeHeaders } from './notice-headers.ts';
import type { ByteReader, ByteStream } from './platform.ts';

/** The parts of a web-standard `Request` that the handler needs. */
export interface NoticeRequest {
  readonly method: string;
  readonly headers: NoticeHeaders;
  readonly body: ByteStream | null;
  readonly bodyUsed: boolean;
}

/** The platform's `Response`, where its types are available. */
/** The platform's `Response`, where its types are available. */
export type PlatformResponse = typeof globalThis extends {
  readonly Response: { readonly prototype: infer Own };
}
  ? Own
  : { readonly status: number };

/**
 * Creates a notice handler for frameworks with web-standard requests (Hono, Next, Deno, Bun,
 * Workers). It responds with 204 after `onNotice` has succeeded, with 400, 401 or 413 to an invalid
 * request, and with 500 when `onNotice` failed, so that the service retries.
 *
 * @example
 * export const POST = noticeHandler({ secret: process.env.WEBHOOK_SECRET, onNotice: () =>
 * follower.wake() });
 */
export function noticeHandler(
  options: NoticeHandlerOptions,
): (request: NoticeRequest) => Promise<PlatformResponse> {
  return async ({ method, headers, body, bodyUsed }) => {
    const response =
      method === 'POST'
        ? await respondToNotice(options, {
            headers,
            body: bodyUsed ? undefined : await readBody(body),
          })
        : METHOD_NOT_ALLOWED;
    return new Response(response.text, {
      status: response.status,
      headers: { ...response.headers },
    });
  };
}

/** Stops reading at the limit. Returns null when the body was incomplete or took too long. */
async function readBody(body: ByteStream | null): Promise<Uint8Array | null> {
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), BODY_MS_MAX);
  });
  try {
    const read = await Promise.race([readWith(reader), late]);
    // This is not awaited, because it does not matter whether the sender stops.
    if (read === null || read.length > NOTICE_BYTES_MAX) reader.cancel().catch(() => undefined);
    return read;
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

async function readWith(reader: ByteReader): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  while (bytes <= NOTICE_BYTES_MAX) {
    const { done, value } = await reader.read();
    if (done) break;
    if (value !== undefined) pieces.push(value);
    bytes += value?.length ?? 0;
  }
  return concatBytes(...pieces);
}
