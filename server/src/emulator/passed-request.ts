import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  request as send,
  type ServerResponse,
} from 'node:http';
import { endsWithin } from '../base/ends-within.ts';

/** Of a body that is looked at for `grant_type`: the service refuses more than 16 KiB. */
const FORM_BYTES_MAX = 65_536;
/** Bytes of a body beyond which most addresses of the service refuse it before they have read it. */
const LONG_BODY_BYTES = 16_384;
/** The service refuses a length within a millisecond; a machine that does much else takes longer. */
const REFUSAL_MS_MAX = 25;

/** A request with the place of its answer, and what of its body was read before. */
export interface PassedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly head: Buffer | null;
}

/** Sends a request on to the service, its headers and bytes as they came; null when the service broke it off, or the app has gone. */
export async function passOn(
  { request, response, head }: PassedRequest,
  service: string,
  agent: Agent,
): Promise<IncomingMessage | null> {
  const onward = openOnward(request, service, agent);
  const answered = answerOf(onward, response);
  // A body that the service refuses by its length is not written: a reset would take the refusal along.
  const isRefused = isLong(request) && (await isRefusedSoon(onward, answered));
  if (isRefused) request.resume();
  else passBody(request, head, onward);
  return await answered;
}

/** Opens the same request to the service, its headers as they came. */
function openOnward(request: IncomingMessage, service: string, agent: Agent): ClientRequest {
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

/** True when the headers alone are answered within a moment. */
async function isRefusedSoon(onward: ClientRequest, answered: Promise<unknown>): Promise<boolean> {
  onward.flushHeaders();
  return await endsWithin(answered, REFUSAL_MS_MAX);
}

/** Sends the body on, its bytes as they come; `head` is what of it was read before. */
function passBody(request: IncomingMessage, head: Buffer | null, onward: ClientRequest): void {
  if (head !== null) onward.write(head);
  request.pipe(onward);
}

/** The beginning of a body; all of it, when it is a form of ours. */
export async function readHead(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  return await new Promise((resolve, reject) => {
    const take = (piece: Buffer): void => {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes <= FORM_BYTES_MAX) return;
      request.pause();
      finish();
    };
    const finish = (): void => {
      request.off('data', take);
      resolve(Buffer.concat(pieces));
    };
    request.on('data', take);
    request.once('end', finish);
    request.once('close', () => reject(new Error('the request broke off')));
  });
}

/** True for a form that asks for a refresh. */
export function isRefreshForm(body: Buffer): boolean {
  return new URLSearchParams(body.toString('latin1')).get('grant_type') === 'refresh_token';
}

/** The answer to `onward`; null when the service broke it off, or the app has gone. */
async function answerOf(
  onward: ClientRequest,
  response: ServerResponse,
): Promise<IncomingMessage | null> {
  return await new Promise((resolve) => {
    onward.once('response', resolve);
    onward.on('error', () => resolve(null));
    response.once('close', () => {
      onward.destroy();
      resolve(null);
    });
  });
}

/** Of this connection, not of the request: each side of the front has its own. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive']);

/** Headers as Node gives them, names and values in turn, without those of their connection. */
export function withoutHopByHop(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    // The front has answered this one itself; what else is expected is the service's to refuse.
    const isAnswered = /^expect$/i.test(name) && /^100-continue$/i.test(value);
    if (!isAnswered && !HOP_BY_HOP.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}
