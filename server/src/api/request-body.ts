import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../http/errors.ts';
import { readJson } from '../http/body.ts';
import type { Endpoint } from './endpoint.ts';
import { invalidRequest } from './parameters.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The Content-Type as it was sent. */
    sentType: string | undefined;
  }
}

/**
 * Lets every body of the scope through as bytes, whatever its type says, up to the limit of bytes (413). What the type
 * means is decided by `readBody`, after the size: an empty body passes whatever its type (decision 0003).
 */
export function takeBodiesAsBytes(scope: FastifyInstance): void {
  scope.decorateRequest('sentType', undefined);
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
}

/** The hook of a route whose method may bring a body. */
export function hideSentType(
  request: FastifyRequest,
  _reply: unknown,
  _payload: unknown,
  done: () => void,
): void {
  request.sentType = request.headers['content-type'];
  // Fastify refuses a type that it cannot parse before it looks whether there is a body.
  delete request.headers['content-type'];
  done();
}

/** The JSON of a body, undefined when there is none or the endpoint takes none. Another type is 415, broken JSON 400. */
export function readBody(endpoint: Endpoint, request: FastifyRequest): unknown {
  const bytes = request.body;
  if (endpoint.body === 'ignored') return undefined;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) return undefined;
  // RFC 9110 §8.4: a coding that is not undone here is a type that is not read here.
  const coding = request.headers['content-encoding'] ?? 'identity';
  if (coding !== 'identity' || !isJsonType(request.sentType)) {
    throw new ApiError(415, 'unsupported_media_type');
  }
  try {
    return readJson(bytes);
  } catch {
    throw invalidRequest();
  }
}

function isJsonType(type: string | undefined): boolean {
  return type !== undefined && /^application\/json[\t ]*(?:;|$)/i.test(type.trim());
}
