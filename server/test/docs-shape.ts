/** Stands for members or elements that a page leaves out. */
const ELISION = '…';

/**
 * Parses JSON in which `…` stands for left-out members or elements: `{"a": 1, …}`, `[{"a": 1}, …]`.
 *
 * @throws SyntaxError if the rest of the text is not valid JSON
 */
export function parseElidedJson(text: string): unknown {
  const stack: string[] = [];
  const made = text.replaceAll(/"(?:[^"\\]|\\.)*"|[{}[\]]|…/g, (token) => {
    if (token === '{' || token === '[') stack.push(token);
    if (token === '}' || token === ']') stack.pop();
    if (token !== ELISION) return token;
    return stack.at(-1) === '{' ? `"${ELISION}": 0` : `"${ELISION}"`;
  });
  return JSON.parse(made);
}

/**
 * Describes how the shape of a response differs from what a page shows, or returns null. Objects
 * must have the same members, or with `…` at least the shown members. Each element shown must match
 * an element of the response. Values must have the same types, and error codes must be equal.
 */
export function findShapeProblem(shown: unknown, actual: unknown, path = '$'): string | null {
  const [want, is] = [typeOf(shown), typeOf(actual)];
  if (want !== is) return `${path}: the page shows ${want}, the answer has ${is}`;
  if (Array.isArray(shown) && Array.isArray(actual)) return findListProblem(shown, actual, path);
  if (isObject(shown) && isObject(actual)) return findObjectProblem(shown, actual, path);
  if (path.endsWith('.error') && shown !== actual) {
    return `${path}: the page shows ${String(shown)}, the answer has ${String(actual)}`;
  }
  return null;
}

function findListProblem(
  shown: readonly unknown[],
  actual: readonly unknown[],
  path: string,
): string | null {
  const elements = shown.filter((element) => element !== ELISION);
  if (shown.length === 0 && actual.length > 0) return `${path}: the page shows an empty list`;
  for (const [index, element] of elements.entries()) {
    const faults = actual.map((other) => findShapeProblem(element, other, `${path}[${index}]`));
    if (faults.includes(null)) continue;
    return faults[0] ?? `${path}[${index}]: the answer's list is empty`;
  }
  return null;
}

function findObjectProblem(
  shown: Readonly<Record<string, unknown>>,
  actual: Readonly<Record<string, unknown>>,
  path: string,
): string | null {
  for (const [name, value] of Object.entries(shown)) {
    if (name === ELISION) continue;
    if (!(name in actual)) return `${path}.${name}: the answer has no such member`;
    const fault = findShapeProblem(value, actual[name], `${path}.${name}`);
    if (fault !== null) return fault;
  }
  if (ELISION in shown) return null;
  const hidden = Object.keys(actual).find((name) => !(name in shown));
  return hidden === undefined ? null : `${path}.${hidden}: the page does not show this member`;
}

/** Returns whether a page leaves something out of this value. */
export function isElided(value: unknown): boolean {
  if (value === ELISION) return true;
  if (Array.isArray(value)) return value.some(isElided);
  if (!isObject(value)) return false;
  return ELISION in value || Object.values(value).some(isElided);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
