import { type Answer, headerOf } from './answer.ts';
import type { Shape } from './shape.ts';

/** A rule that does not hold. Its message says what was expected and what came. */
export class Unmet extends Error {
  override readonly name = 'Unmet';
}

/** A test that cannot be made against this target; the message says what is missing. */
export class NotRun extends Error {
  override readonly name = 'NotRun';
}

/** Longest piece of an answer that a message shows. */
const SHOWN_CHARACTERS_MAX = 300;

/** A value for a message, cut where it is long. */
export function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length <= SHOWN_CHARACTERS_MAX ? text : `${text.slice(0, SHOWN_CHARACTERS_MAX)}…`;
}

/** Fails unless it holds. `expected` completes the sentence "expected …", `came` what there was instead. */
export function expect(holds: boolean, expected: string, came: unknown): asserts holds {
  if (!holds) throw new Unmet(`expected ${expected}, but came ${shown(came)}`);
}

/** Fails unless both are the same JSON value. */
export function expectSame(what: string, came: unknown, expected: unknown): void {
  if (JSON.stringify(came) === JSON.stringify(expected)) return;
  throw new Unmet(`expected ${what} to be ${shown(expected)}, but came ${shown(came)}`);
}

/**
 * Fails where a value shows another one than is known, at any depth. A member that it lacks is left alone: no field of a
 * card, product or grade is marked required.
 */
export function expectKnown(what: string, came: unknown, known: unknown): void {
  if (!isObject(came) || !isObject(known)) return expectSame(what, came, known);
  for (const [name, value] of Object.entries(known)) {
    if (name in came) expectKnown(`${what}.${name}`, came[name], value);
  }
}

/** Fails unless the answer has this status. */
export function expectStatus(answer: Answer, ...statuses: readonly number[]): void {
  if (statuses.includes(answer.status)) return;
  const expected = statuses.join(' or ');
  throw new Unmet(
    `${answer.request}: expected status ${expected}, but came ${answer.status} ${shown(answer.text)}`,
  );
}

/** Fails unless the answer has a status of success, whichever: for endpoints whose status the specification does not show. */
export function expectSuccess(answer: Answer): void {
  if (answer.status >= 200 && answer.status <= 299) return;
  throw new Unmet(
    `${answer.request}: expected success, but came ${answer.status} ${shown(answer.text)}`,
  );
}

/** Fails unless the answer refuses, with whichever status of the client's fault (4xx). */
export function expectRefusal(answer: Answer): void {
  if (answer.status >= 400 && answer.status <= 499) return;
  throw new Unmet(
    `${answer.request}: expected a refusal (4xx), but came ${answer.status} ${shown(answer.text)}`,
  );
}

/** Fails unless a header has this value; null: unless it is absent. */
export function expectHeader(answer: Answer, name: string, expected: string | RegExp | null): void {
  const came = headerOf(answer, name);
  const holds =
    expected instanceof RegExp ? came !== null && expected.test(came) : came === expected;
  if (holds) return;
  const wanted = expected === null ? 'no' : 'the';
  const value = expected === null ? '' : ` ${String(expected)}`;
  throw new Unmet(
    `${answer.request} (${answer.status}): expected ${wanted} header ${name}${value}, but came ${came ?? 'none'}`,
  );
}

/** Specification 1: every response carries `Cache-Control: no-store`. */
export function expectNoStore(answer: Answer): void {
  expectHeader(answer, 'cache-control', /(^|,\s*)no-store(\s*,|$)/i);
}

/** The body as JSON. Fails when it is none, or says that it is something else. */
export function jsonOf(answer: Answer): unknown {
  expectHeader(answer, 'content-type', /^application\/json(\s*;|$)/i);
  try {
    const value: unknown = JSON.parse(answer.text);
    return value;
  } catch {
    throw new Unmet(`${answer.request}: expected JSON, but came ${shown(answer.text)}`);
  }
}

/** The body of an answer with this status, when it has this shape. Members beyond the shape are left alone. */
export function expectBody<Value>(answer: Answer, status: number, shape: Shape<Value>): Value {
  expectStatus(answer, status);
  return expectShape(answer.request, jsonOf(answer), shape);
}

/** A value as one of this shape, when it is one. `isExact`: members beyond the shape are faults too. */
export function expectShape<Value>(
  what: string,
  value: unknown,
  shape: Shape<Value>,
  isExact = false,
): Value {
  const result = shape.read(value, '', isExact);
  if (result.kind === 'value') return result.value;
  const more = result.faults.length > 5 ? ` and ${result.faults.length - 5} more` : '';
  throw new Unmet(`${what}: ${result.faults.slice(0, 5).join('; ')}${more}`);
}

/** Specification 7: status, JSON, no-store, and the body exactly `{"error": code}`, with `scope` only where one is given. */
export function expectError(answer: Answer, status: number, code: string, scope?: string): void {
  expectStatus(answer, status);
  const body = jsonOf(answer);
  const expected = scope === undefined ? { error: code } : { error: code, scope };
  if (JSON.stringify(sorted(body)) !== JSON.stringify(sorted(expected))) {
    throw new Unmet(
      `${answer.request}: expected exactly the body ${shown(expected)}, but came ${shown(answer.text)}`,
    );
  }
  expectNoStore(answer);
}

/** RFC 6749 5.2: the error of an OAuth endpoint, whose body may have a description. */
export function expectOAuthError(answer: Answer, status: number, code: string): void {
  expectStatus(answer, status);
  const body = jsonOf(answer);
  const came = isObject(body) ? body['error'] : undefined;
  if (came !== code) {
    throw new Unmet(
      `${answer.request}: expected the error ${code}, but came ${shown(answer.text)}`,
    );
  }
  expectNoStore(answer);
}

/** True for a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
