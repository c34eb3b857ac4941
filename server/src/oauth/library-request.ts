import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { DerivedRequest } from '../patches/derived-request.ts';
import { AUTH_PATH } from './addresses.ts';

/** The library trusts proxy headers and answers CORS requests. */
const EXCLUDED_HEADERS = new Set([
  // Without `accept` every error is JSON; we render the pages for browsers.
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

/** What the mount knows about a request to the library. */
export interface Caller {
  readonly requestId: string;
  readonly address: string;
  /** Null at the authorization endpoint. */
  readonly clientId: string | null;
  readonly acceptLanguage: string | undefined;
}

export interface LibraryRequestOptions {
  readonly publicUrl: string;
  /** Path and query below the public origin. */
  readonly target: string;
  /** Already read and bounded. */
  readonly body: Buffer | null;
  readonly caller: Caller;
}

/**
 * The request as the library sees it (`ctx.req`): host and protocol come from `PUBLIC_URL`, so the
 * request's headers cannot affect the URLs it writes. The original request stays unchanged for the
 * log.
 */
export class LibraryRequest extends DerivedRequest {
  readonly caller: Caller;
  /** The library compares it with `url` to find its mount path. */
  readonly originalUrl: string;
  /** The error behind a 500 of the library. */
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
    throw new Error('the library has a request that the mount did not make');
  }
}

/** Adds the headers that every response carries (decision 0008). */
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
