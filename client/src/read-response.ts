import { requestIdOf } from './response-error.ts';
import { MalformedAnswerError } from './local-errors.ts';
import type { TransportResponse } from './transport.ts';

export type MemberType = 'string' | 'boolean' | 'array' | 'object';

/** Checks only these members: later versions may send more. Throws {@link MalformedAnswerError}. */
export function readObject<Shape extends object>(
  response: TransportResponse,
  members: Readonly<Partial<Record<keyof Shape & string, MemberType>>>,
): Shape {
  const body = response.json();
  const isValid =
    isObject(body) &&
    Object.entries(members).every(([name, type]) => typeOf(Reflect.get(body, name)) === type);
  if (!isValid) {
    const expected = Object.entries(members).map(([name, type]) => `${name} (${String(type)})`);
    const message = `expected an object with ${expected.join(', ')}`;
    const requestId = requestIdOf(response.headers);
    throw new MalformedAnswerError({
      message,
      call: response.call,
      status: response.status,
      requestId,
    });
  }
  // The cast is safe for the members that the SDK uses: they were checked above.
  return body as Shape;
}

export function isObject(value: unknown): value is object {
  return typeOf(value) === 'object';
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
