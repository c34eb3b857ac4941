/**
 * Headers in your framework's form: a `Headers` object, the object of `node:http`, Express and
 * Fastify, a `Map` or list of pairs, or the flat `request.rawHeaders`. Names may be in any case.
 */
export type NoticeHeaders =
  | { get(name: string): string | null | undefined }
  | Iterable<readonly [string, string]>
  | readonly string[]
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns all values of a header. `name` must be in lower case. */
export function headerValues(headers: NoticeHeaders, name: string): readonly string[] {
  return pairs(headers, name).flatMap(([given, value]) =>
    given.toLowerCase() === name ? value : [],
  );
}

type Pair = readonly [string, string | readonly string[]];

function pairs(headers: NoticeHeaders, name: string): readonly Pair[] {
  if (Symbol.iterator in headers) return fromList([...headers]);
  if (hasGet(headers)) {
    const value = headers.get(name);
    return typeof value === 'string' ? [[name, value]] : [];
  }
  return Object.entries(headers).flatMap(([given, value]): readonly Pair[] =>
    value === undefined ? [] : [[given, value]],
  );
}

function fromList(list: readonly (string | readonly [string, string])[]): readonly Pair[] {
  return list.flatMap((element, index): readonly Pair[] => {
    if (typeof element !== 'string') return [element];
    const value = list[index + 1];
    // `rawHeaders` alternates names and values.
    return index % 2 === 0 && typeof value === 'string' ? [[element, value]] : [];
  });
}

function hasGet(headers: object): headers is { get(name: string): string | null | undefined } {
  return 'get' in headers && typeof headers.get === 'function';
}
