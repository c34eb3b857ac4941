import { Type, type TSchema } from 'typebox';
import { hasInvisible } from './plain-text.ts';
import { orNull as nullable } from './schema.ts';

/** `isReference` is true for a valid form that refers to something unknown, such as a currency. */
export type ParseResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string; readonly isReference: boolean };

export interface Field<T> {
  readonly schema: TSchema;
  /** The default is `schema` without its limits, so that a later version may raise them. */
  readonly responseSchema?: TSchema;
  /** A field without a default is required in a new object. */
  readonly defaultValue?: T;
  parse(name: string, value: unknown): ParseResult<T>;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** The members of a change. An absent or `undefined` member is not changed. */
export type Members<F extends Fields> = {
  readonly [K in keyof F]?: F[K] extends Field<infer T> ? T | undefined : never;
};

/** Our APIs refuse unknown members. Files from other systems may contain unknown members. */
export type UnknownMembers = 'refuse' | 'ignore';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Code generators map an integer without a format to 32 bits. */
const INT32_MAX = 2_147_483_647;
/** The maximum number of characters of a client's text that an error message repeats. */
const QUOTED_CHARACTERS_MAX = 64;

export function accept<T>(value: T): ParseResult<T> {
  return { ok: true, value };
}

export function refuse(
  problem: string,
  isReference = false,
): { readonly ok: false; readonly problem: string; readonly isReference: boolean } {
  return { ok: false, problem, isReference };
}

/** Returns whether a value is a UUID in canonical form, in upper or lower case. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Quotes a text on one line, truncated if it is too long. */
export function quote(name: string): string {
  const text =
    name.length > QUOTED_CHARACTERS_MAX ? `${name.slice(0, QUOTED_CHARACTERS_MAX)}…` : name;
  return JSON.stringify(text.toWellFormed());
}

export function parseMembers<F extends Fields>(
  fields: F,
  value: unknown,
  unknownMembers: UnknownMembers,
  path = '',
): ParseResult<Members<F>> {
  const subject = path === '' ? 'The value' : path;
  if (!isObject(value)) return refuse(`${subject} must be a JSON object.`);
  const members: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) {
      if (unknownMembers === 'ignore') continue;
      return refuse(`${path === '' ? '' : `${path}: `}${quote(name)} is not a known field.`);
    }
    const reading = field.parse(path === '' ? name : `${path}.${name}`, given);
    if (!reading.ok) return reading;
    members[name] = reading.value;
  }
  return accept(members as Members<F>);
}

export function responseSchemaOf({ schema, responseSchema }: Field<unknown>): TSchema {
  if (responseSchema !== undefined) return responseSchema;
  const bounds = ['minLength', 'maxLength', 'maximum', 'pattern'];
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !bounds.includes(name)));
}

export function objectSchema(fields: Fields, required: readonly string[]): TSchema {
  const properties = Object.entries(fields).map(([name, field]) => [
    name,
    required.includes(name) ? field.schema : Type.Optional(field.schema),
  ]);
  return Type.Object(Object.fromEntries(properties), { additionalProperties: false });
}

/** Returns a field that converts UUIDs to lower case, the form that PostgreSQL returns. */
export function uuidField(description: string): Field<string> {
  return {
    schema: Type.String({ format: 'uuid', description }),
    parse: (name, value) =>
      isUuid(value) ? accept(value.toLowerCase()) : refuse(`${name} must be a UUID.`),
  };
}

/** The name or code of a thing (`isName`) must not contain invisible characters (decision 0214). */
export function textField(pointsMax: number, description: string, isName = false): Field<string> {
  return {
    schema: Type.String({ minLength: 1, maxLength: pointsMax, description }),
    parse: (name, value) => {
      if (typeof value !== 'string') return refuse(`${name} must be a string.`);
      const problem = findTextProblem(value, pointsMax, isName);
      return problem === null ? accept(value) : refuse(`${name} ${problem}`);
    },
  };
}

export function choiceField<const T extends string>(
  choices: readonly T[],
  description: string,
): Field<T> {
  return {
    schema: Type.Unsafe({ type: 'string', enum: choices, description }),
    parse: (name, value) => {
      const choice = choices.find((each) => each === value);
      return choice === undefined
        ? refuse(`${name} must be one of ${choices.join(', ')}.`)
        : accept(choice);
    },
  };
}

export function booleanField(description: string): Field<boolean> {
  return {
    schema: Type.Boolean({ description }),
    parse: (name, value) =>
      typeof value === 'boolean' ? accept(value) : refuse(`${name} must be true or false.`),
  };
}

export function integerField(minimum: number, maximum: number, description: string): Field<number> {
  return {
    schema: Type.Integer({
      ...(maximum > INT32_MAX ? { format: 'int64' } : {}),
      minimum,
      maximum,
      description,
    }),
    parse: (name, value) =>
      typeof value === 'number' &&
      Number.isSafeInteger(value) &&
      value >= minimum &&
      value <= maximum
        ? accept(value)
        : refuse(`${name} must be a whole number from ${minimum} to ${maximum}.`),
  };
}

/** Returns a field for a fixed set of values. The response schema says that the set may grow. */
export function openChoiceField<const T extends string>(
  choices: readonly T[],
  description: string,
): Field<T> {
  const responseSchema = Type.String({
    description: `${description} Known values: ${choices.join(', ')}. More may be added.`,
  });
  return withResponseSchema(responseSchema, choiceField(choices, description));
}

/** Makes a field nullable. Null is also the default for a new object. */
export function orNull<T>(field: Field<T>): Field<T | null> {
  return {
    schema: nullable(field.schema),
    responseSchema: nullable(responseSchemaOf(field)),
    defaultValue: null,
    parse: (name, value) => (value === null ? accept(null) : field.parse(name, value)),
  };
}

export function withResponseSchema<T>(responseSchema: TSchema, field: Field<T>): Field<T> {
  return { ...field, responseSchema };
}

export function withDefault<T>(defaultValue: NoInfer<T>, field: Field<T>): Field<T> {
  return { ...field, defaultValue };
}

function findTextProblem(value: string, codePointsMax: number, isName: boolean): string | null {
  // PostgreSQL cannot store NUL or unpaired surrogates.
  if (!value.isWellFormed()) return 'must not contain an unpaired surrogate.';
  if (/\p{Cc}/u.test(value)) return 'must not contain control characters.';
  if (isName && hasInvisible(value)) return 'must not contain invisible characters.';
  if (value.trim() === '') return 'must not be empty.';
  // `length` counts UTF-16 units. A text has at least as many UTF-16 units as code points.
  if (value.length > codePointsMax && Array.from(value).length > codePointsMax) {
    return `must have at most ${codePointsMax} characters.`;
  }
  return null;
}
