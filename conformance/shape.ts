/** The result of reading a value: the typed value, or its errors. */
export type ReadResult<Value> =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'faults'; readonly faults: readonly string[] };

/** The required form of a JSON value, from the specification's tables of fields. */
export interface Shape<Value> {
  /**
   * `path` locates the value in error messages. With `isExact`, additional members and missing
   * optional members are errors too.
   */
  readonly read: (value: unknown, path: string, isExact: boolean) => ReadResult<Value>;
}

/** An optional field of an object. */
export interface OptionalField<Value> {
  readonly isOptional: true;
  readonly shape: Shape<Value>;
}

type Field = Shape<unknown> | OptionalField<unknown>;
type Fields = Readonly<Record<string, Field>>;
type ValueOf<F> =
  F extends OptionalField<infer Value>
    ? Value | undefined
    : F extends Shape<infer Value>
      ? Value
      : never;
/** The type of an object with these fields. */
export type ObjectOf<F extends Fields> = { readonly [Name in keyof F]: ValueOf<F[Name]> };
/** The type of a shape's value. */
export type ShapeValue<S> = S extends Shape<infer Value> ? Value : never;

function mismatch(path: string, expected: string, value: unknown): ReadResult<never> {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  const came = text.length > 120 ? `${text.slice(0, 120)}…` : text;
  return {
    kind: 'faults',
    faults: [`${path === '' ? 'the body' : path} must be ${expected}, but is ${came}`],
  };
}

/** A shape that accepts the values that pass a type guard. */
function guarded<Value>(expected: string, guard: (value: unknown) => value is Value): Shape<Value> {
  return {
    read: (value, path) =>
      guard(value) ? { kind: 'value', value } : mismatch(path, expected, value),
  };
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

/** A string that passes a check. */
export function stringThat(expected: string, holds: (text: string) => boolean): Shape<string> {
  return guarded(expected, (value): value is string => isString(value) && holds(value));
}

export const string: Shape<string> = guarded('a string', isString);

export const nonEmptyString: Shape<string> = stringThat(
  'a non-empty string',
  (value) => value !== '',
);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** `string, uuid` */
export const uuid: Shape<string> = stringThat('a uuid', (value) => UUID.test(value));

const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;
/** `string, date-time` (RFC 3339). The date must exist. */
export const dateTime: Shape<string> = stringThat(
  'a date-time',
  (value) => DATE_TIME.test(value) && !Number.isNaN(Date.parse(value)),
);

/** `string, uri` (RFC 3986): absolute and completely escaped. */
export const uri: Shape<string> = stringThat(
  'a uri',
  (value) => URL.canParse(value) && /^[a-z][a-z0-9+.-]*:[!-~]*$/i.test(value),
);

/** `string, email` */
export const email: Shape<string> = stringThat('an email address', (value) =>
  /^[^\s@]+@[^\s@]+$/.test(value),
);

/** An ISO 4217 code. */
export const currency: Shape<string> = stringThat('an ISO 4217 code', (value) =>
  /^[A-Z]{3}$/.test(value),
);

/** An `integer` that is at least `minimum`. */
export function integer(minimum = Number.MIN_SAFE_INTEGER): Shape<number> {
  return guarded(
    minimum === Number.MIN_SAFE_INTEGER ? 'an integer' : `an integer of ${minimum} or more`,
    (value): value is number => Number.isSafeInteger(value) && Number(value) >= minimum,
  );
}

/** `boolean` */
export const boolean: Shape<boolean> = guarded(
  'a boolean',
  (value): value is boolean => typeof value === 'boolean',
);

/** A string that is one of `words`. */
export function oneOf<const Word extends string>(...words: readonly Word[]): Shape<Word> {
  const known: ReadonlySet<unknown> = new Set(words);
  return guarded(words.map((word) => `"${word}"`).join(' or '), (value): value is Word =>
    known.has(value),
  );
}

/** `… | null` */
export function orNull<Value>(shape: Shape<Value>): Shape<Value | null> {
  return {
    read: (value, path, isExact) =>
      value === null ? { kind: 'value', value: null } : shape.read(value, path, isExact),
  };
}

/** A field that is not marked required. */
export function optional<Value>(shape: Shape<Value>): OptionalField<Value> {
  return { isOptional: true, shape };
}

/** An object with these fields. Additional members are allowed unless `isExact` is set. */
export function object<const F extends Fields>(fields: F): Shape<ObjectOf<F>> {
  return {
    read: (value, path, isExact) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        return mismatch(path, 'an object', value);
      }
      const members = new Map<string, unknown>(Object.entries(value));
      const faults: string[] = [];
      const readMembers = new Map<string, unknown>(members);
      for (const [name, field] of Object.entries(fields)) {
        const where = path === '' ? name : `${path}.${name}`;
        const isOptional = 'isOptional' in field;
        if (!members.has(name)) {
          if (!isOptional || isExact) faults.push(`${where} is missing`);
          continue;
        }
        const result = (isOptional ? field.shape : field).read(members.get(name), where, isExact);
        if (result.kind === 'faults') faults.push(...result.faults);
        else readMembers.set(name, result.value);
      }
      if (isExact) {
        const more = [...members.keys()].filter((name) => !Object.hasOwn(fields, name));
        faults.push(
          ...more.map((name) => `${path === '' ? name : `${path}.${name}`} is not a known field`),
        );
      }
      // The only cast: every field was checked above.
      return faults.length === 0
        ? { kind: 'value', value: Object.fromEntries(readMembers) as ObjectOf<F> }
        : { kind: 'faults', faults };
    },
  };
}

/** The type `map of string to string` of the specification. */
export const stringMap: Shape<Readonly<Record<string, string>>> = guarded(
  'an object with string values',
  (value): value is Readonly<Record<string, string>> =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(isString),
);

/** `array of …` */
export function array<Value>(shape: Shape<Value>): Shape<readonly Value[]> {
  return {
    read: (value, path, isExact) => {
      if (!Array.isArray(value)) return mismatch(path, 'an array', value);
      const values: Value[] = [];
      const faults: string[] = [];
      for (const [index, element] of value.entries()) {
        const result = shape.read(element, `${path}[${index}]`, isExact);
        if (result.kind === 'value') values.push(result.value);
        else faults.push(...result.faults);
      }
      return faults.length === 0 ? { kind: 'value', value: values } : { kind: 'faults', faults };
    },
  };
}

/** One of several shapes, chosen by the value of a member. */
export function byMember<const Shapes extends Readonly<Record<string, Shape<unknown>>>>(
  member: string,
  shapes: Shapes,
): Shape<ShapeValue<Shapes[keyof Shapes]>> {
  const known = Object.keys(shapes);
  return {
    read: (value, path, isExact) => {
      const name: unknown =
        typeof value === 'object' && value !== null ? Reflect.get(value, member) : undefined;
      const shape =
        typeof name === 'string' && Object.hasOwn(shapes, name) ? shapes[name] : undefined;
      const where = path === '' ? member : `${path}.${member}`;
      if (shape === undefined) return mismatch(where, `one of ${known.join(', ')}`, name);
      // The cast is safe, because `shape` is one of `shapes`.
      return shape.read(value, path, isExact) as ReadResult<ShapeValue<Shapes[keyof Shapes]>>;
    },
  };
}
