import { requestIdOf } from './error-of-answer.ts';
import { MalformedAnswerError } from './local-errors.ts';
import type { TransportAnswer } from './transport.ts';

/** What a member must be for the SDK to work with the object that has it. */
export type MemberType = 'string' | 'boolean' | 'array' | 'object';

/**
 * The body as an object with these members, every other member as it came. What only the app reads is not checked: an
 * answer of a later version must pass. Throws {@link MalformedAnswerError} for anything else.
 */
export function readObject<Shape extends object>(
  answer: TransportAnswer,
  members: Readonly<Partial<Record<keyof Shape & string, MemberType>>>,
): Shape {
  const body = answer.json();
  const isGood =
    isObject(body) &&
    Object.entries(members).every(([name, type]) => typeOf(Reflect.get(body, name)) === type);
  if (!isGood) {
    const wanted = Object.entries(members).map(([name, type]) => `${name} (${String(type)})`);
    const message = `expected an object with ${wanted.join(', ')}`;
    const requestId = requestIdOf(answer.headers);
    throw new MalformedAnswerError({
      message,
      call: answer.call,
      status: answer.status,
      requestId,
    });
  }
  // The parser: the members that the SDK goes by were checked above.
  return body as Shape;
}

/** True for an object of JSON that is no array. */
export function isObject(value: unknown): value is object {
  return typeOf(value) === 'object';
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
