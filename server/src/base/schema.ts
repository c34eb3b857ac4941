import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';

export const Uuid = Type.String({ format: 'uuid' });
export const DateTime = Type.String({
  format: 'date-time',
  description: 'ISO 8601, UTC, milliseconds.',
});
export const Uri = Type.String({ format: 'uri' });
/** `Type.Record` would write `patternProperties`, which code generators do not support. */
export const LocalizedText = Type.Unsafe<Readonly<Record<string, string>>>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'By language tag (BCP 47).',
});

export function orNull<Schema extends TSchema>(
  schema: Schema,
  description?: string,
): TUnsafe<Static<Schema> | null> {
  const more = description === undefined ? {} : { description };
  // In JSON Schema 2020-12, which OpenAPI 3.1 uses, a plain type becomes a list of types.
  const { type, ...others }: { type?: unknown } = schema;
  if (typeof type === 'string' && !('enum' in schema)) {
    return Type.Unsafe({ ...others, type: [type, 'null'], ...more });
  }
  return Type.Unsafe({ anyOf: [schema, { type: 'null' }], ...more });
}

export function stringEnum<Word extends string>(
  words: readonly Word[],
  description: string,
): TUnsafe<Word> {
  return Type.Unsafe<Word>({ type: 'string', enum: words, description });
}

/** Returns a reference. `name` must be a component of the same OpenAPI document. */
export function refTo<T = unknown>(name: string): TUnsafe<T> {
  return Type.Unsafe<T>({ $ref: pathTo(name) });
}

function pathTo(name: string): string {
  return `#/components/schemas/${name}`;
}

/** Returns an integer schema with a format: without it, code generators use a 32-bit `int`. */
export function int64(description: string, minimum?: number): TUnsafe<number> {
  return Type.Unsafe<number>({
    type: 'integer',
    format: 'int64',
    ...(minimum === undefined ? {} : { minimum }),
    description,
  });
}

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
