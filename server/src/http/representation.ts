import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { isNotModified, type Validators } from './conditional.ts';

export interface Representation extends Validators {
  readonly contentType: string;
  readonly length: number;
  /** Opens the bytes. It is not called for 304 or HEAD. */
  readonly open: () => Promise<Readable>;
}

export interface RepresentationResponse {
  readonly status: 200 | 304;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable | null;
}

/** Responds with 304 if the client has the current bytes (RFC 9110 §13, §15.4.5), else 200. */
export async function respondWithRepresentation(
  {
    method,
    headers: requestHeaders,
  }: { readonly method: string; readonly headers: IncomingHttpHeaders },
  { etag, lastModified, contentType, length, open }: Representation,
): Promise<RepresentationResponse> {
  const headers = { etag, 'last-modified': lastModified.toUTCString() };
  if (isNotModified(requestHeaders, { etag, lastModified })) {
    return { status: 304, headers, body: null };
  }
  const described = { ...headers, 'content-type': contentType, 'content-length': String(length) };
  return { status: 200, headers: described, body: method === 'HEAD' ? null : await open() };
}
