import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../http/errors.ts';
import { readJson } from '../http/body.ts';
import type { Endpoint } from './endpoint.ts';
import { invalidRequest } from './parameters.ts';

declare module 'fastify' {
  interface FastifyRequest {
    sentType: string | undefined;
  }
}

/** `readBody` checks the type later, because an empty body passes with any type (decision 0003). */
export function readBodiesAsBytes(scope: FastifyInstance): void {
  scope.decorateRequest('sentType', undefined);
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
}

/**
 * A preParsing hook that hides the content type from Fastify, which refuses an unknown one even if
 * there is no body.
 */
export function hideContentType(
  request: FastifyRequest,
  _reply: unknown,
  _payload: unknown,
  done: () => void,
): void {
  request.sentType = request.headers['content-type'];
  delete request.headers['content-type'];
  done();
}

/**
 * Returns undefined if the body is empty or the endpoint ignores it.
 *
 * @throws ApiError 415 for another content type, 400 for malformed JSON
 */
export function readBody(endpoint: Endpoint, request: FastifyRequest): unknown {
  const bytes = request.body;
  if (endpoint.body === 'ignored') return undefined;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) return undefined;
  // RFC 9110 §8.4: content codings are not supported here.
  const coding = request.headers['content-encoding'] ?? 'identity';
  if (coding !== 'identity' || !isJsonType(request.sentType)) {
    throw new ApiError(415, 'unsupported_media_type');
  }
  const json = readJson(bytes);
  if (json.kind === 'invalid') throw invalidRequest();
  return json.value;
}

function isJsonType(type: string | undefined): boolean {
  return type !== undefined && /^application\/json[\t ]*(?:;|$)/i.test(type.trim());
}
