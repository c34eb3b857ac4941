import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { MadeRequest } from '../patches/made-request.ts';
import { AUTH_PATH } from './addresses.ts';

/** Headers that must not reach the library: it believes proxies' ones, and answers browsers' cross-origin ones. */
const LEFT_OUT = new Set([
  // Without it every refusal is JSON; pages are rendered where a browser is.
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

/** What the mount knows of a request that the library answers. */
export interface Caller {
  readonly requestId: string;
  readonly address: string;
  /** The client id of its credentials, or null at the authorization endpoint. */
  readonly clientId: string | null;
  readonly acceptLanguage: string | undefined;
}

export interface LibraryRequestOptions {
  readonly publicUrl: string;
  /** Path and query below the public origin. */
  readonly target: string;
  /** The body as it was read and bounded before, or null. */
  readonly body: Buffer | null;
  readonly caller: Caller;
}

/**
 * A request as the library is to see it: host and protocol from `PUBLIC_URL`, so that nothing it writes follows a
 * request's headers, and the body as it was read already. The real request stays as it is, for the log. The library hands
 * it to everything of ours as `ctx.req`, and with it what only this request has.
 */
export class LibraryRequest extends MadeRequest {
  readonly caller: Caller;
  /** The library finds the path that it is mounted on by comparing it with `url`. */
  readonly originalUrl: string;
  /** What the library has answered with 500, or null. */
  fault: unknown = null;

  constructor(raw: IncomingMessage, { publicUrl, target, body, caller }: LibraryRequestOptions) {
    const { host, protocol } = new URL(publicUrl);
    const headers: IncomingMessage['headers'] = {};
    for (const [name, value] of Object.entries(raw.headers)) {
      if (!LEFT_OUT.has(name)) headers[name] = value;
    }
    headers.host = host;
    headers['x-forwarded-proto'] = protocol.slice(0, -1);
    if (body !== null) headers['content-length'] = String(body.length);
    super(raw, { headers, url: target.slice(AUTH_PATH.length), body });
    if (raw.method === 'HEAD') this.method = 'GET';
    this.caller = caller;
    this.originalUrl = target;
  }

  /** The request that the library is answering. */
  static of({ req }: KoaContextWithOIDC): LibraryRequest {
    if (req instanceof LibraryRequest) return req;
    throw new Error('the library has a request that the mount did not make');
  }
}

/** Hands a request over to the library: the headers that every answer has go along (decision 0008). */
export async function handOver(
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
