import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { NOT_JSON, type ParsedJson, parseJson } from '../base/json.ts';
import { ApiError } from './errors.ts';

/** Parses a JSON body. An empty body is `undefined`, because POST and DELETE need none. */
export function parseJsonBody(
  _request: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, body?: unknown) => void,
): void {
  if (body.length === 0) {
    done(null, undefined);
    return;
  }
  const json = readJson(body);
  if (json.kind === 'value') done(null, json.value);
  else done(new ApiError(400, 'invalid_request', { detail: `The body ${json.reason}.` }));
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

/** Parses UTF-8 (RFC 8259 §8.1). A byte order mark is refused. */
export function readJson(body: Buffer): ParsedJson {
  return isUtf8(body) ? parseJson(body.toString()) : { kind: 'invalid', reason: NOT_JSON };
}
