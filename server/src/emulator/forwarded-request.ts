import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  request as send,
  type ServerResponse,
} from 'node:http';
import { endsWithin } from '../base/ends-within.ts';

/** The number of bytes searched for `grant_type`. The service refuses bodies over 16 KiB. */
const FORM_BYTES_MAX = 65_536;
/** Most endpoints refuse a longer body without reading it. */
const LONG_BODY_BYTES = 16_384;
/** The service refuses a long `Content-Length` within 1 ms; on a busy machine, within this time. */
const REFUSAL_MS_MAX = 25;

/** A request to forward. `bodyStart` is the part of its body that was already read. */
export interface ForwardedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly bodyStart: Buffer | null;
}

/** Forwards a request unchanged. Returns null if the service aborts or the app has disconnected. */
export async function forwardRequest(
  { request, response, bodyStart }: ForwardedRequest,
  service: string,
  agent: Agent,
): Promise<IncomingMessage | null> {
  const upstream = openUpstreamRequest(request, service, agent);
  const responded = waitForResponse(upstream, response);
  // If the service refuses a body for its length, do not send it: the service would reset the
  // connection, and the refusal would be lost.
  const isRefused = isLong(request) && (await isRefusedSoon(upstream, responded));
  if (isRefused) request.resume();
  else forwardBody(request, bodyStart, upstream);
  return await responded;
}

function openUpstreamRequest(
  request: IncomingMessage,
  service: string,
  agent: Agent,
): ClientRequest {
  const { hostname, port } = new URL(service);
  return send({
    hostname,
    port,
    agent,
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    headers: withoutHopByHop(request.rawHeaders),
    setHost: false,
  });
}

function isLong({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > LONG_BODY_BYTES;
}

async function isRefusedSoon(
  upstream: ClientRequest,
  responded: Promise<unknown>,
): Promise<boolean> {
  upstream.flushHeaders();
  return await endsWithin(responded, REFUSAL_MS_MAX);
}

function forwardBody(
  request: IncomingMessage,
  bodyStart: Buffer | null,
  upstream: ClientRequest,
): void {
  if (bodyStart !== null) upstream.write(bodyStart);
  request.pipe(upstream);
}

/** Reads the start of a body. Any form that the service accepts is read completely. */
export async function readBodyStart(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  return await new Promise((resolve, reject) => {
    const onChunk = (piece: Buffer): void => {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes <= FORM_BYTES_MAX) return;
      request.pause();
      finish();
    };
    const finish = (): void => {
      request.off('data', onChunk);
      resolve(Buffer.concat(pieces));
    };
    request.on('data', onChunk);
    request.once('end', finish);
    request.once('close', () => reject(new Error('the request was aborted')));
  });
}

export function isRefreshForm(body: Buffer): boolean {
  return new URLSearchParams(body.toString('latin1')).get('grant_type') === 'refresh_token';
}

async function waitForResponse(
  upstream: ClientRequest,
  response: ServerResponse,
): Promise<IncomingMessage | null> {
  return await new Promise((resolve) => {
    upstream.once('response', resolve);
    upstream.on('error', () => resolve(null));
    response.once('close', () => {
      upstream.destroy();
      resolve(null);
    });
  });
}

/** These headers apply to one connection, so a proxy does not forward them. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive']);

/** Removes hop-by-hop headers. In `rawHeaders`, names and values alternate. */
export function withoutHopByHop(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    // The proxy has already responded to `100-continue`. The service refuses other expectations.
    const isAnswered = /^expect$/i.test(name) && /^100-continue$/i.test(value);
    if (!isAnswered && !HOP_BY_HOP.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}
