import { ERROR_CODES } from '../../src/http/errors.ts';
import { findMarkupFault } from '../../test/console-forms.ts';
import { isObject } from '../../test/docs-shape.ts';
import { HOSTILE_ELEMENT } from '../../test/hostile-shop.ts';
import type { Answer, Journal, SentRequest } from './journal.ts';

/** Patterns that no body may match, each with its name. */
const LEAKS: readonly (readonly [string, RegExp])[] = [
  ['a stack trace', /\n\s+at (?:async )?[\w.<>]+ ?\(|\bnode:internal\b/],
  ['a source file', /(?:file:\/\/|node_modules|\/src\/[\w-]+\/|\.ts:\d+)/],
  [
    'a JavaScript error',
    /\b(?:TypeError|RangeError|ReferenceError|SyntaxError)\b|Cannot read prop/,
  ],
  [
    'an SQL error',
    /syntax error at or near|violates \w+ constraint|duplicate key value|invalid byte sequence|invalid input syntax|relation "|column "|\bpg_(?:catalog|type|class|hba|stat)\b/,
  ],
  ['an object that was not formatted', /\[object Object\]/],
];

/** Headers that a status requires (RFC 9110 §15.5, RFC 6585 §4). */
const NEEDED_BY_STATUS: Readonly<Record<number, string>> = {
  401: 'www-authenticate',
  405: 'allow',
  429: 'retry-after',
};

export interface AnswerCheckerOptions {
  readonly journal: Journal;
  /** Origins that an answer may redirect a browser to. */
  readonly origins: readonly string[];
  /** Strings that must not appear in any answer: keys, addresses of the database, folders. */
  readonly hidden: readonly string[];
}

/** Checks the status, headers and body of every answer. */
export class AnswerChecker {
  readonly #options: AnswerCheckerOptions;

  constructor(options: AnswerCheckerOptions) {
    this.#options = options;
  }

  /**
   * Records the first fault of an answer. `statuses` are allowed besides 503; if it is null, the
   * caller checks the status.
   */
  check(sent: SentRequest, answer: Answer, statuses: readonly number[] | null): void {
    const fault =
      this.#findStatusFault(answer, statuses) ??
      findHeaderFault(sent, answer) ??
      this.#findRedirectFault(answer) ??
      this.#findLeak(answer) ??
      findBodyFault(sent, answer);
    if (fault !== null) this.#options.journal.fail(fault, sent, answer);
  }

  #findStatusFault({ status, headers }: Answer, statuses: readonly number[] | null): string | null {
    if (status === 503) {
      this.#options.journal.shed += 1;
      return headers['retry-after'] === undefined ? '503 without Retry-After' : null;
    }
    if (status >= 500) return `status ${status}`;
    return statuses === null || statuses.includes(status) ? null : `unexpected status ${status}`;
  }

  #findRedirectFault({ headers }: Answer): string | null {
    const { location } = headers;
    if (typeof location !== 'string') return null;
    const [own = ''] = this.#options.origins;
    const { origin } = new URL(location, own);
    return this.#options.origins.includes(origin) ? null : `it redirects to ${origin}`;
  }

  #findLeak({ headers, body }: Answer): string | null {
    if (String(headers['content-type']).startsWith('image/')) return null;
    const text = body.toString();
    const leak = LEAKS.find(([, pattern]) => pattern.test(text));
    if (leak !== undefined) return `the body contains ${leak[0]}`;
    return this.#options.hidden.some((secret) => text.includes(secret))
      ? 'the body contains a secret of the service'
      : null;
  }
}

function findHeaderFault({ area }: SentRequest, { status, headers }: Answer): string | null {
  if (!/^[0-9a-z]{18}$/.test(String(headers['x-request-id']))) return 'no X-Request-Id';
  if (headers['x-injected'] !== undefined) return 'a header was injected';
  if (headers['x-content-type-options'] !== 'nosniff') return 'no X-Content-Type-Options';
  const needed = NEEDED_BY_STATUS[status];
  const isPage = String(headers['content-type']).startsWith('text/html');
  if (needed !== undefined && headers[needed] === undefined && !(status === 401 && isPage)) {
    return `a ${status} without ${needed}`;
  }
  // The console's photos have a version in their URL and may be cached.
  const isKept = area === 'console' && String(headers['content-type']).startsWith('image/');
  return isKept || headers['cache-control'] === 'no-store' ? null : 'no Cache-Control: no-store';
}

function findBodyFault(sent: SentRequest, { status, headers, body }: Answer): string | null {
  const type = String(headers['content-type'] ?? '');
  const text = body.toString();
  if (type.startsWith('text/html')) {
    const policy = headers['content-security-policy'];
    if (typeof policy !== 'string') return 'a page without Content-Security-Policy';
    if (text.includes(HOSTILE_ELEMENT)) return 'a page contains markup that was sent';
    // Pages before the sign-in have one inline style, which the policy allows by its hash.
    const isHashed = policy.includes("style-src 'sha256-");
    return findMarkupFault(isHashed ? text.replace(/<style>[^<]*<\/style>/, '') : text);
  }
  if (status < 400 || sent.method === 'HEAD') return null;
  if (type !== 'application/json; charset=utf-8') return `an error of type ${type}`;
  // Errors for requests by a page's script have a different body.
  if (sent.path.includes('/passkey')) return null;
  return findErrorFault(sent, text) ?? findLinkFault(text, headers);
}

/** Every error links to the section that explains its code (decision 0008). */
function findLinkFault(text: string, { link }: Answer['headers']): string | null {
  const code = /"error":"(\w+)"/.exec(text)?.[1] ?? '';
  return String(link).includes(`#${code}>`) ? null : 'an error without a link to its explanation';
}

/** Errors have exactly the form of their API (decisions 0008 and 0009, RFC 6749 §5.2). */
function findErrorFault({ area, path }: SentRequest, text: string): string | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return 'an error that is not JSON';
  }
  if (!isObject(body) || typeof body['error'] !== 'string') return 'an error without a code';
  const names = Object.keys(body).join(' ');
  if (area === 'oauth') {
    return /^error(?: error_description)?$/.test(names) ? null : `an error with ${names}`;
  }
  if (!ERROR_CODES.some((code) => code === body['error'])) {
    return `the error code ${body['error']} is unknown`;
  }
  // A malformed request does not always show which API it was meant for.
  if (area === 'raw') return /^error(?: detail)?$/.test(names) ? null : `an error with ${names}`;
  const expected = path.startsWith('/shop/v1') ? /^error(?: detail)?$/ : /^error(?: scope)?$/;
  return expected.test(names) ? null : `an error with ${names}`;
}
