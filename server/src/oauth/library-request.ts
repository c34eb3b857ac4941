import { IncomingMessage, type ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
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

export interface LibraryRequestOptions {
  readonly publicUrl: string;
  /** Path and query below the public origin. */
  readonly target: string;
  /** The body as it was read and bounded before, or null. */
  readonly body: Buffer | null;
}

/**
 * A request as the library is to see it: host and protocol from `PUBLIC_URL`, so that nothing it writes follows a
 * request's headers, and the body as it was read already. The real request stays as it is, for the log.
 */
export function libraryRequest(
  raw: IncomingMessage,
  { publicUrl, target, body }: LibraryRequestOptions,
): IncomingMessage {
  const { host, protocol } = new URL(publicUrl);
  const request = new IncomingMessage(raw.socket);
  request.method = raw.method === 'HEAD' ? 'GET' : raw.method;
  request.httpVersion = raw.httpVersion;
  request.httpVersionMajor = raw.httpVersionMajor;
  request.httpVersionMinor = raw.httpVersionMinor;
  const headers: IncomingMessage['headers'] = {};
  for (const [name, value] of Object.entries(raw.headers)) {
    if (!LEFT_OUT.has(name)) headers[name] = value;
  }
  headers.host = host;
  headers['x-forwarded-proto'] = protocol.slice(0, -1);
  if (body !== null) headers['content-length'] = String(body.length);
  request.headers = headers;
  request.url = target.slice(AUTH_PATH.length);
  // The library finds the path that it is mounted on by comparing the two.
  Reflect.set(request, 'originalUrl', target);
  if (body !== null) request.push(body);
  request.push(null);
  request.complete = true;
  return request;
}

/** Hands a request over to the library: the headers that every answer has go along (decision 0008). */
export async function handOver(
  reply: FastifyReply,
  callback: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  libraryView: IncomingMessage,
): Promise<void> {
  reply.hijack();
  reply.setCommonHeaders();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  await callback(libraryView, reply.raw);
}
