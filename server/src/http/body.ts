import type { FastifyRequest } from 'fastify';
import { ApiError } from './errors.ts';

/** Parses a JSON body. An empty one is `undefined`: POST and DELETE need none. */
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

/** Accepts an empty body of any Content-Type; a non-empty one has an unsupported type (415). */
export function parseNothing(
  _request: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, body?: unknown) => void,
): void {
  if (body.length === 0) done(null, undefined);
  else done(new ApiError(415, 'unsupported_media_type'));
}

/** Only UTF-8 (RFC 8259 §8.1); throws on broken UTF-8, a byte order mark and invalid JSON. */
export function readJson(body: Buffer): unknown {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
}
