import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { DerivedRequest } from '../patches/derived-request.ts';
import { AUTH_PATH } from './addresses.ts';

/** Headers that are hidden from the library, which would trust proxies and answer CORS requests. */
const EXCLUDED_HEADERS = new Set([
  // Without `accept`, the library sends every error as JSON. The service renders the error pages.
  'accept',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-http-method-override',
  'host',
  'origin',
  'content-length',
  'transfer-encoding',
  'expect',
]);

/** The facts about the original request that the library's middleware needs. */
export interface Caller {
  readonly requestId: string;
  readonly address: string;
  /** Null for requests to the authorization endpoint. */
  readonly clientId: string | null;
  readonly acceptLanguage: string | undefined;
  /** Where the person signs in before the request is stored. Null after the sign-in. */
  readonly signInFirst: string | null;
}

export interface LibraryRequestOptions {
  readonly publicUrl: string;
  /** The path and query without the public origin. */
  readonly target: string;
  /** The complete body, after the check of its size. */
  readonly body: Buffer | null;
  readonly caller: Caller;
}

/**
 * The library's `ctx.req`. Its host and protocol come from `PUBLIC_URL`, so that headers cannot
 * affect the URLs in responses. The original request stays unchanged for the log.
 */
export class LibraryRequest extends DerivedRequest {
  readonly caller: Caller;
  /** The library finds its mount path by comparing this with `url`. */
  readonly originalUrl: string;
  /** The error that made the library respond with 500. */
  fault: unknown = null;

  constructor(raw: IncomingMessage, { publicUrl, target, body, caller }: LibraryRequestOptions) {
    const { host, protocol } = new URL(publicUrl);
    const headers: IncomingMessage['headers'] = {};
    for (const [name, value] of Object.entries(raw.headers)) {
      if (!EXCLUDED_HEADERS.has(name)) headers[name] = value;
    }
    headers.host = host;
    headers['x-forwarded-proto'] = protocol.slice(0, -1);
    if (body !== null) headers['content-length'] = String(body.length);
    super(raw, { headers, url: target.slice(AUTH_PATH.length), body });
    if (raw.method === 'HEAD') this.method = 'GET';
    this.caller = caller;
    this.originalUrl = target;
  }

  static of({ req }: KoaContextWithOIDC): LibraryRequest {
    if (req instanceof LibraryRequest) return req;
    throw new Error('oidc-provider has a request that is not a LibraryRequest');
  }
}

/** Adds the headers that every response has (decision 0008). The library writes the response. */
export async function passToLibrary(
  reply: FastifyReply,
  callback: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  request: LibraryRequest,
): Promise<void> {
  reply.hijack();
  reply.setCommonHeaders();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  await callback(request, reply.raw);
}
