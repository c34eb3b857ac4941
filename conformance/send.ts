import { type IncomingMessage, request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { HttpResponse } from './response.ts';
import { readBytes } from './bytes.ts';

/** A request as it is sent. Only Host, Connection and Content-Length are added. */
export interface RequestSpec {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** No response may take this long. A service that does not respond fails the test. */
const RESPONSE_TIMEOUT_MS = 15_000;
/** The maximum size of a response. The largest is a photo. */
const RESPONSE_BYTES_MAX = 30_000_000;

/**
 * Sends a request on a new connection and reads the complete response. Redirects are not followed.
 * Throws when there is no response within 15 s.
 */
export async function send(spec: RequestSpec): Promise<HttpResponse> {
  const url = new URL(spec.url);
  const request = `${spec.method} ${url.origin}${url.pathname}${url.search}`;
  const body = spec.body === undefined ? null : Buffer.from(spec.body);
  const options: RequestOptions = {
    method: spec.method,
    agent: false,
    headers: {
      ...spec.headers,
      ...(body === null ? {} : { 'Content-Length': String(body.length) }),
    },
    signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
  };
  try {
    const message = await startRequest(url, options, body);
    const bytes = await readBytes(message, RESPONSE_BYTES_MAX);
    return {
      request,
      status: message.statusCode ?? 0,
      body: bytes,
      text: bytes.toString('utf8'),
      headers: headersOf(message),
    };
  } catch (error) {
    throw new Error(`${request}: no response (${textOf(error)})`, { cause: error });
  }
}

async function startRequest(
  url: URL,
  options: RequestOptions,
  body: Buffer | null,
): Promise<IncomingMessage> {
  const start = url.protocol === 'https:' ? requestHttps : requestHttp;
  return await new Promise((resolve, reject) => {
    const sent = start(url, options, resolve);
    sent.once('error', reject);
    sent.end(body ?? undefined);
  });
}

function headersOf(message: IncomingMessage): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    const name = message.rawHeaders[index]?.toLowerCase() ?? '';
    headers.set(name, [...(headers.get(name) ?? []), message.rawHeaders[index + 1] ?? '']);
  }
  return headers;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
