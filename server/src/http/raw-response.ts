import { STATUS_CODES } from 'node:http';
import type { ConstantHeaders } from './constant-headers.ts';
import { codeOfStatus } from './errors.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Renders a complete HTTP response to a request that Node could not parse. */
export function renderRawResponse(
  status: number,
  headers: ConstantHeaders,
  more: Readonly<Record<string, string>>,
): string {
  const body = `{"error":"${codeOfStatus(status)}"}`;
  const lines = Object.entries({
    ...headers,
    ...more,
    'content-type': JSON_TYPE,
    'content-length': String(body.length),
    date: new Date().toUTCString(),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}

export function statusOfClientError(code: string | undefined): number {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return 431;
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 413;
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 408;
    default:
      return 400;
  }
}
