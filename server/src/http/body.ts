import type { FastifyRequest } from 'fastify';
import { ApiError } from './errors.ts';

/** Parses a JSON body. An empty body is `undefined`, because POST and DELETE need none. */
export function parseJson(
  _request: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, body?: unknown) => void,
): void {
  if (body.length === 0) {
    done(null, undefined);
    return;
  }
  let value: unknown;
  try {
    value = readJson(body);
  } catch (error) {
    done(
      new ApiError(400, 'invalid_request', { detail: 'The body is not valid JSON.', cause: error }),
    );
    return;
  }
  done(null, value);
}

/** Parses bodies of unknown Content-Types. Only an empty body is accepted; others get a 415. */
export function parseEmptyBody(
  _request: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, body?: unknown) => void,
): void {
  if (body.length === 0) done(null, undefined);
  else done(new ApiError(415, 'unsupported_media_type'));
}

/** Parses UTF-8 (RFC 8259 §8.1). Throws on invalid UTF-8 or JSON and on a byte order mark. */
export function readJson(body: Buffer): unknown {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
}
