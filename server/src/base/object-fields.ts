import { Type, type TSchema } from 'typebox';
import {
  type Field,
  type Fields,
  type Members,
  accept,
  parseMembers,
  type ParseResult,
  refuse,
  responseSchemaOf,
} from './field.ts';

// Derives an object's types, schemas, changes and comparison from its fields (decision 0230).

export type Values<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never;
};

export type MergeResult<F extends Fields> =
  | { readonly kind: 'values'; readonly values: Values<F> }
  | { readonly kind: 'incomplete'; readonly missing: readonly string[] };

/** Returns the typed member names. The object must not have members that its type lacks. */
export function namesOf<T extends object>(object: T): (keyof T & string)[] {
  return Object.keys(object) as (keyof T & string)[];
}

export function pick<T extends object, K extends keyof T & string>(
  object: T,
  names: readonly K[],
): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, object[name]])) as Pick<T, K>;
}

export function requiredFieldNames(fields: Fields): string[] {
  return namesOf(fields).filter((name) => fields[name]?.defaultValue === undefined);
}

/** Returns each member from `given`, else from `before`, else its default value. */
export function mergeMembers<F extends Fields>(
  fields: F,
  given: Members<F>,
  before: Values<F> | undefined,
): MergeResult<F> {
  const values: Record<string, unknown> = {};
  const missing: string[] = [];
  for (const name of namesOf(fields)) {
    let value: unknown = given[name];
    if (value === undefined) {
      value = before === undefined ? fields[name]?.defaultValue : before[name];
    }
    if (value === undefined) missing.push(name);
    else values[name] = value;
  }
  if (missing.length > 0) return { kind: 'incomplete', missing };
  return { kind: 'values', values: values as Values<F> };
}

export function areSame<T>(a: T, b: T, names: readonly (keyof T)[]): boolean {
  return names.every((name) => {
    const [one, other] = [a[name], b[name]];
    if (one === other) return true;
    return one instanceof Date && other instanceof Date && one.getTime() === other.getTime();
  });
}

export function responseSchemas<F extends Fields>(fields: F): Record<keyof F & string, TSchema> {
  const members = Object.entries(fields).map(([name, field]) => [name, responseSchemaOf(field)]);
  return Object.fromEntries(members) as Record<keyof F & string, TSchema>;
}

/** Ignores unknown members. The error about missing members begins with `subject`. */
export function parseObject<F extends Fields>(
  fields: F,
  value: unknown,
  subject: string,
  path = '',
): ParseResult<Values<F>> {
  const reading = parseMembers(fields, value, 'ignore', path);
  if (!reading.ok) return reading;
  const merged = mergeMembers(fields, reading.value, undefined);
  return merged.kind === 'values'
    ? accept(merged.values)
    : refuse(`${subject} must contain ${merged.missing.join(', ')}.`);
}

export function objectField<F extends Fields>(fields: F): Field<Values<F>> {
  return {
    schema: Type.Unsafe({
      ...Type.Object(responseSchemas(fields)),
      required: requiredFieldNames(fields),
    }),
    parse: (path, value) => parseObject(fields, value, path, path),
  };
}
