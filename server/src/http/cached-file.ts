import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isNotModified } from './conditional.ts';

export interface CachedFile {
  readonly type: string;
  /** The strong entity tag with its quotes. The tag for the compressed bytes ends in `-gzip"`. */
  readonly etag: string;
  readonly bytes: Buffer;
  readonly compressed: Buffer;
}

export function createCachedFile(type: string, content: string | Buffer): CachedFile {
  const bytes = Buffer.from(content);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { type, etag: `"${hash}"`, bytes, compressed: gzipSync(bytes) };
}

/** Sends a file, gzipped if the client accepts that, or 304. `headers` override common headers. */
export function sendCachedFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: CachedFile,
  lastModified: Date,
  headers: Readonly<Record<string, string>>,
): FastifyReply {
  const isCompressed = takesGzip(request.headers['accept-encoding']);
  const etag = isCompressed ? file.etag.replace(/"$/, '-gzip"') : file.etag;
  const isKnown = isNotModified(request.headers, { etag, lastModified });
  reply.sendPrepared({
    status: isKnown ? 304 : 200,
    headers: {
      'last-modified': lastModified.toUTCString(),
      vary: 'accept-encoding',
      etag,
      ...headers,
      ...(isCompressed && !isKnown ? { 'content-encoding': 'gzip' } : {}),
    },
    body: isKnown ? null : { type: file.type, bytes: isCompressed ? file.compressed : file.bytes },
  });
  return reply;
}

/** Returns true if gzip, or `*` if gzip is not listed, has a weight above 0 (RFC 9110 §12.5.3). */
function takesGzip(acceptEncoding: string | string[] | undefined): boolean {
  const weights = new Map(
    String(acceptEncoding ?? '')
      .toLowerCase()
      .split(',')
      .map((part): readonly [string, number] => {
        const [, name = '', weight = '1'] =
          /^\s*([^\s;]+)\s*(?:;\s*q=([\d.]+)\s*)?$/.exec(part) ?? [];
        return [name, Number(weight)];
      }),
  );
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}
