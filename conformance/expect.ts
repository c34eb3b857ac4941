import { type HttpResponse, headerOf } from './response.ts';
import type { Shape } from './shape.ts';

/** A violated rule. The message has the expected and the actual value. */
export class RuleViolation extends Error {
  override readonly name = 'RuleViolation';
}

/** A test that cannot run against this target. The message says what is missing. */
export class NotRun extends Error {
  override readonly name = 'NotRun';
}

/** Maximum length of a value in a message. */
const SHOWN_CHARACTERS_MAX = 300;

/** Formats a value for a message, and cuts a long one. */
export function formatValue(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length <= SHOWN_CHARACTERS_MAX ? text : `${text.slice(0, SHOWN_CHARACTERS_MAX)}…`;
}

/** Fails unless the condition holds. `expected` completes the sentence "expected …". */
export function expect(holds: boolean, expected: string, actual: unknown): asserts holds {
  if (!holds) throw new RuleViolation(`expected ${expected}, but got ${formatValue(actual)}`);
}

/** Fails unless the two values are equal as JSON. */
export function expectSame(what: string, actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return;
  throw new RuleViolation(
    `expected ${what} to be ${formatValue(expected)}, but got ${formatValue(actual)}`,
  );
}

/**
 * Fails if the value differs from the known value at any depth. A missing member is allowed,
 * because no field of a card, product or grade is marked required.
 */
export function expectKnown(what: string, actual: unknown, known: unknown): void {
  if (!isObject(actual) || !isObject(known)) return expectSame(what, actual, known);
  for (const [name, value] of Object.entries(known)) {
    if (name in actual) expectKnown(`${what}.${name}`, actual[name], value);
  }
}

/** Fails unless the response has one of these statuses. */
export function expectStatus(response: HttpResponse, ...statuses: readonly number[]): void {
  if (statuses.includes(response.status)) return;
  const expected = statuses.join(' or ');
  throw new RuleViolation(
    `${response.request}: expected status ${expected}, but got ${response.status} ${formatValue(response.text)}`,
  );
}

/** Fails unless the status is 2xx, for endpoints whose status the specification does not show. */
export function expectSuccess(response: HttpResponse): void {
  if (response.status >= 200 && response.status <= 299) return;
  throw new RuleViolation(
    `${response.request}: expected success, but got ${response.status} ${formatValue(response.text)}`,
  );
}

/** Fails unless the status is 4xx. */
export function expectRefusal(response: HttpResponse): void {
  if (response.status >= 400 && response.status <= 499) return;
  throw new RuleViolation(
    `${response.request}: expected an error status (4xx), but got ${response.status} ${formatValue(response.text)}`,
  );
}

/** Fails unless a header has this value; null expects it to be absent. */
export function expectHeader(
  response: HttpResponse,
  name: string,
  expected: string | RegExp | null,
): void {
  const actual = headerOf(response, name);
  const holds =
    expected instanceof RegExp ? actual !== null && expected.test(actual) : actual === expected;
  if (holds) return;
  const wanted = expected === null ? 'no' : 'the';
  const value = expected === null ? '' : ` ${String(expected)}`;
  throw new RuleViolation(
    `${response.request} (${response.status}): expected ${wanted} header ${name}${value}, but got ${actual ?? 'none'}`,
  );
}

/** Expects `Cache-Control: no-store`, which every response must have (spec 1). */
export function expectNoStore(response: HttpResponse): void {
  expectHeader(response, 'cache-control', /(^|,\s*)no-store(\s*,|$)/i);
}

/** Returns the body as JSON. Fails when it is not JSON or has another content type. */
export function jsonOf(response: HttpResponse): unknown {
  expectHeader(response, 'content-type', /^application\/json(\s*;|$)/i);
  try {
    const value: unknown = JSON.parse(response.text);
    return value;
  } catch {
    throw new RuleViolation(
      `${response.request}: expected JSON, but got ${formatValue(response.text)}`,
    );
  }
}

/** Returns the body of a response with this status and shape. Additional members are allowed. */
export function expectBody<Value>(
  response: HttpResponse,
  status: number,
  shape: Shape<Value>,
): Value {
  expectStatus(response, status);
  return expectShape(response.request, jsonOf(response), shape);
}

/** Returns the value if it has this shape. With `isExact`, additional members are errors too. */
export function expectShape<Value>(
  what: string,
  value: unknown,
  shape: Shape<Value>,
  isExact = false,
): Value {
  const result = shape.read(value, '', isExact);
  if (result.kind === 'value') return result.value;
  const more = result.faults.length > 5 ? ` and ${result.faults.length - 5} more` : '';
  throw new RuleViolation(`${what}: ${result.faults.slice(0, 5).join('; ')}${more}`);
}

/**
 * Expects an error response (spec 7): the status, JSON, no-store, and exactly the body `{"error":
 * code}`, with `scope` only if passed.
 */
export function expectError(
  response: HttpResponse,
  status: number,
  code: string,
  scope?: string,
): void {
  expectStatus(response, status);
  const body = jsonOf(response);
  const expected = scope === undefined ? { error: code } : { error: code, scope };
  if (JSON.stringify(sorted(body)) !== JSON.stringify(sorted(expected))) {
    throw new RuleViolation(
      `${response.request}: expected exactly the body ${formatValue(expected)}, but got ${formatValue(response.text)}`,
    );
  }
  expectNoStore(response);
}

/** Expects an error of an OAuth endpoint (RFC 6749 §5.2). The body may have a description. */
export function expectOAuthError(response: HttpResponse, status: number, code: string): void {
  expectStatus(response, status);
  const body = jsonOf(response);
  const actual = isObject(body) ? body['error'] : undefined;
  if (actual !== code) {
    throw new RuleViolation(
      `${response.request}: expected the error ${code}, but got ${formatValue(response.text)}`,
    );
  }
  expectNoStore(response);
}

/** Returns whether a value is a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
