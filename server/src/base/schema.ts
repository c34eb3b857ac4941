import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';

/** An id. */
export const Uuid = Type.String({ format: 'uuid' });
/** An instant. */
export const DateTime = Type.String({
  format: 'date-time',
  description: 'ISO 8601, UTC, milliseconds.',
});
/** An address. */
export const Uri = Type.String({ format: 'uri' });
/** Texts by language: `additionalProperties`, which every generator knows; `Type.Record` says the same by a pattern. */
export const Texts = Type.Unsafe<Readonly<Record<string, string>>>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'By language tag (BCP 47).',
});

/** A value or null. */
export function orNull<Schema extends TSchema>(
  schema: Schema,
  description?: string,
): TUnsafe<Static<Schema> | null> {
  const more = description === undefined ? {} : { description };
  // JSON Schema 2020-12, which OpenAPI 3.1 is: a list of types where there is a plain one.
  const { type, ...others }: { type?: unknown } = schema;
  if (typeof type === 'string' && !('enum' in schema)) {
    return Type.Unsafe({ ...others, type: [type, 'null'], ...more });
  }
  return Type.Unsafe({ anyOf: [schema, { type: 'null' }], ...more });
}

/** One of a closed list of words. */
export function oneOfWords<Word extends string>(
  words: readonly Word[],
  description: string,
): TUnsafe<Word> {
  return Type.Unsafe<Word>({ type: 'string', enum: words, description });
}

/** Another schema of the same OpenAPI document, by its name among the document's components. */
export function refTo<T = unknown>(name: string): TUnsafe<T> {
  return Type.Unsafe<T>({ $ref: pathTo(name) });
}

function pathTo(name: string): string {
  return `#/components/schemas/${name}`;
}

/** A whole number that may need more than 32 bits; without the format generators take an `int` of 32. */
export function int64(description: string, minimum?: number): TUnsafe<number> {
  return Type.Unsafe<number>({
    type: 'integer',
    format: 'int64',
    ...(minimum === undefined ? {} : { minimum }),
    description,
  });
}

/** One of several objects that tell themselves apart by their `kind`. */
export function oneOfKinds(
  names: Readonly<Record<string, string>>,
  description: string,
): TUnsafe<unknown> {
  const kinds = Object.entries(names);
  return Type.Unsafe({
    oneOf: kinds.map(([, name]) => ({ $ref: pathTo(name) })),
    discriminator: {
      propertyName: 'kind',
      mapping: Object.fromEntries(kinds.map(([kind, name]) => [kind, pathTo(name)])),
    },
    description,
  });
}
