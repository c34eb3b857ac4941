import { Type, type TSchema } from 'typebox';
import { orNull as nullable } from './schema.ts';

/**
 * What reading a value gave: the value, or one sentence that says what is wrong with it. `isReference` tells a value
 * of the right form that names nothing there is (a currency) from one of the wrong form.
 */
export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: string; readonly isReference: boolean };

/**
 * One member of a JSON object that others send us: how it is described (OpenAPI) and how it is read, in one place, so
 * that the description cannot drift from the check. `read` gets the member's name for its sentence.
 */
export interface Field<T> {
  /** What may be sent. */
  readonly schema: TSchema;
  /** What is answered. Left out, it is `schema` without its bounds: they may be widened. */
  readonly shown?: TSchema;
  /** What a new object gets when the member is left out. A field without one is required there. */
  readonly initial?: T;
  read(name: string, value: unknown): Reading<T>;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** What an object of these members reads as; `undefined` or absent means that the member was not given. */
export type Members<F extends Fields> = {
  readonly [K in keyof F]?: F[K] extends Field<infer T> ? T | undefined : never;
};

/** Whether members that are not in the table are refused (our APIs) or passed over (foreign files). */
export type UnknownMembers = 'refuse' | 'ignore';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Generators take a whole number without a format for one of 32 bits. */
const INT32_MAX = 2_147_483_647;
/** The most of a foreign name that a sentence repeats. */
const QUOTED_CHARACTERS_MAX = 64;

export function read<T>(value: T): Reading<T> {
  return { ok: true, value };
}

export function refuse(
  fault: string,
  isReference = false,
): { readonly ok: false; readonly fault: string; readonly isReference: boolean } {
  return { ok: false, fault, isReference };
}

/** True for the canonical form of a uuid, in either case. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A name for a sentence: one line of bounded length, whatever was sent. */
export function quote(name: string): string {
  const text =
    name.length > QUOTED_CHARACTERS_MAX ? `${name.slice(0, QUOTED_CHARACTERS_MAX)}…` : name;
  return JSON.stringify(text.toWellFormed());
}

/** Reads the members of an object, the first fault first. */
export function readMembers<F extends Fields>(
  fields: F,
  value: unknown,
  unknownMembers: UnknownMembers,
  path = '',
): Reading<Members<F>> {
  const subject = path === '' ? 'What was sent' : path;
  if (!isObject(value)) return refuse(`${subject} must be a JSON object.`);
  const members: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) {
      if (unknownMembers === 'ignore') continue;
      return refuse(`${path === '' ? '' : `${path}: `}${quote(name)} is not a known member.`);
    }
    const reading = field.read(path === '' ? name : `${path}.${name}`, given);
    if (!reading.ok) return reading;
    members[name] = reading.value;
  }
  // Each member was read by the field that gives it its type.
  return read(members as Members<F>);
}

/** The schema of a field as it is answered. */
export function shownSchema({ schema, shown }: Field<unknown>): TSchema {
  if (shown !== undefined) return shown;
  const bounds = ['minLength', 'maxLength', 'maximum', 'pattern'];
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !bounds.includes(name)));
}

/** The schema of an object of these members, closed to others. */
export function objectSchema(fields: Fields, required: readonly string[]): TSchema {
  const properties = Object.entries(fields).map(([name, field]) => [
    name,
    required.includes(name) ? field.schema : Type.Optional(field.schema),
  ]);
  return Type.Object(Object.fromEntries(properties), { additionalProperties: false });
}

/** A uuid; read in lower case, which is how PostgreSQL gives it back. */
export function uuidField(description: string): Field<string> {
  return {
    schema: Type.String({ format: 'uuid', description }),
    read: (name, value) =>
      isUuid(value) ? read(value.toLowerCase()) : refuse(`${name} must be a uuid.`),
  };
}

/** A text of 1 to `codePointsMax` code points that is not blank and holds no control character. */
export function textField(codePointsMax: number, description: string): Field<string> {
  return {
    schema: Type.String({ minLength: 1, maxLength: codePointsMax, description }),
    read: (name, value) => {
      if (typeof value !== 'string') return refuse(`${name} must be a string.`);
      const fault = textFault(value, codePointsMax);
      return fault === null ? read(value) : refuse(`${name} ${fault}`);
    },
  };
}

/** One of a closed list of words. */
export function choiceField<const T extends string>(
  choices: readonly T[],
  description: string,
): Field<T> {
  return {
    schema: Type.Unsafe({ type: 'string', enum: choices, description }),
    read: (name, value) => {
      const choice = choices.find((each) => each === value);
      return choice === undefined
        ? refuse(`${name} must be one of ${choices.join(', ')}.`)
        : read(choice);
    },
  };
}

export function flagField(description: string): Field<boolean> {
  return {
    schema: Type.Boolean({ description }),
    read: (name, value) =>
      typeof value === 'boolean' ? read(value) : refuse(`${name} must be true or false.`),
  };
}

/** A whole number from `minimum` to `maximum`, both included. */
export function integerField(minimum: number, maximum: number, description: string): Field<number> {
  return {
    schema: Type.Integer({
      ...(maximum > INT32_MAX ? { format: 'int64' } : {}),
      minimum,
      maximum,
      description,
    }),
    read: (name, value) =>
      typeof value === 'number' &&
      Number.isSafeInteger(value) &&
      value >= minimum &&
      value <= maximum
        ? read(value)
        : refuse(`${name} must be a whole number from ${minimum} to ${maximum}.`),
  };
}

/** One of a list of words that may grow: readers are told that it is an open set. */
export function openChoiceField<const T extends string>(
  choices: readonly T[],
  description: string,
): Field<T> {
  const shown = Type.String({ description: `${description} An open set: ${choices.join(', ')}.` });
  return shownAs(shown, choiceField(choices, description));
}

/** The same field, or null, which is also what a new object gets. */
export function orNull<T>(field: Field<T>): Field<T | null> {
  return {
    schema: nullable(field.schema),
    shown: nullable(shownSchema(field)),
    initial: null,
    read: (name, value) => (value === null ? read(null) : field.read(name, value)),
  };
}

/** The same field, described otherwise where it is answered. */
export function shownAs<T>(shown: TSchema, field: Field<T>): Field<T> {
  return { ...field, shown };
}

/** The same field with what a new object gets. */
export function initially<T>(initial: NoInfer<T>, field: Field<T>): Field<T> {
  return { ...field, initial };
}

function textFault(value: string, codePointsMax: number): string | null {
  // PostgreSQL holds no NUL and no half of a surrogate pair; other control characters have no place in a name.
  if (!value.isWellFormed()) return 'holds half of a surrogate pair.';
  if (/\p{Cc}/u.test(value)) return 'holds a control character.';
  if (value.trim() === '') return 'must not be empty.';
  // A string has at most as many code points as UTF-16 units: the exact count is needed beyond only.
  if (value.length > codePointsMax && Array.from(value).length > codePointsMax) {
    return `must have at most ${codePointsMax} characters.`;
  }
  return null;
}
