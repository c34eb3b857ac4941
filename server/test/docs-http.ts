import { findShapeProblem, parseElidedJson } from './docs-shape.ts';

/** An HTTP request or response as a page shows it. */
export interface ShownMessage {
  /** The first line: `HTTP/1.1 200 OK` or `POST /path HTTP/1.1`. */
  readonly start: string;
  /** The headers by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Headers with fixed values, which a page must show exactly. */
const STABLE = new Set(['cache-control', 'content-type', 'allow', 'www-authenticate', 'link']);

/**
 * Parses a request or response, or returns null if the text is neither. If the text has several
 * responses, as after a redirect, returns the last.
 */
export function readMessage(text: string): ShownMessage | null {
  const plain = text.replaceAll('\r\n', '\n').replace(/^\s+/, '');
  const end = plain.indexOf('\n\n');
  const head = (end === -1 ? plain : plain.slice(0, end)).trimEnd();
  const body = end === -1 ? '' : plain.slice(end + 2);
  const [start = '', ...lines] = head.split('\n');
  if (!/^HTTP\/[\d.]+ \d{3}|^[A-Z]+ \S+/.test(start)) return null;
  if (/^HTTP\/[\d.]+ [13]\d\d/.test(start) && body.startsWith('HTTP/')) return readMessage(body);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 1) return null;
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return { start, headers, body };
}

/**
 * Describes how a response differs from the page, or returns null. The page may leave headers out.
 */
export function findResponseProblem(shown: ShownMessage, actual: ShownMessage): string | null {
  const [want, is] = [statusOf(shown), statusOf(actual)];
  if (want !== is) return `the page shows ${want}, but the response is ${is}`;
  for (const [name, value] of shown.headers) {
    const sent = actual.headers.get(name);
    if (sent === undefined) return `the response has no header ${name}`;
    if (STABLE.has(name) && !value.includes('…') && value !== sent) {
      return `the response's ${name} is ${sent}`;
    }
  }
  if (shown.body.trim() === '') return null;
  if (!(actual.headers.get('content-type') ?? '').includes('json')) {
    return 'the page shows a JSON body, but the body of the response is not JSON';
  }
  return findShapeProblem(parseElidedJson(shown.body), JSON.parse(actual.body));
}

function statusOf({ start }: ShownMessage): string {
  return start.split(' ')[1] ?? '';
}
