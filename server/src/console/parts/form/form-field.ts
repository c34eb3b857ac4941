import type { Markup } from '../../../html/page.ts';

/** The inputs of a form by name, as a browser sends them. */
export type Inputs = ReadonlyMap<string, string>;

/** Reports at an input why its content is rejected. */
export type Refuse = (input: string, why: string) => undefined;

/** The inputs of a form as they are rendered. */
export interface RenderedInputs {
  readonly inputs: Inputs;
  readonly textOf: (input: string) => string;
  readonly errorOf: (input: string) => string | null;
}

/**
 * One value of a form, in one input named like the field, or in several. The field renders and
 * reads the value; saving it, and detecting concurrent changes, is up to the form.
 */
export interface FormField<T> {
  readonly label: string;
  /** The names of its inputs. A fault of the whole field is shown at the first one. */
  names(name: string): readonly string[];
  /** The content of the inputs for a value. A missing input is empty. */
  show(name: string, value: T): Readonly<Record<string, string>>;
  /** The submitted value; undefined after `refuse`. */
  read(name: string, inputs: Inputs, refuse: Refuse): T | undefined;
  /** The inputs' content as part of a sentence; empty when there is none. */
  say(name: string, inputs: Inputs): string | Promise<string>;
  render(name: string, shown: RenderedInputs): Markup | Promise<Markup>;
  /** True when a button of the field submitted the form to look something up, not to save. */
  isSearch?(inputs: Inputs): boolean;
}

/**
 * The fields for the values of `V`, by name and in display order. An absent optional value has no
 * field.
 */
export type FieldsOf<V> = {
  readonly [K in keyof V]: FormField<Exclude<V[K], undefined>>;
};

/** The inputs of a form for these values; fields without a value are empty. */
export function inputsOf<V extends object>(fields: FieldsOf<V>, values: Partial<V>): Inputs {
  const shown = new Map<string, unknown>(Object.entries(values));
  return new Map(
    fieldsOf(fields).flatMap(([name, field]) =>
      shown.has(name) ? Object.entries(field.show(name, shown.get(name))) : [],
    ),
  );
}

/** Reads every field; null when one is invalid, after a call of `refuse`. */
export function readFields<V extends object>(
  fields: FieldsOf<V>,
  inputs: Inputs,
  refuse: Refuse,
): V | null {
  const entries = fieldsOf(fields).map(
    ([name, field]) => [name, field.read(name, inputs, refuse)] as const,
  );
  if (entries.some(([, value]) => value === undefined)) return null;
  // Each value was read by the field that gives it its type.
  return Object.fromEntries(entries) as V;
}

/** The names of the fields that differ between two forms. */
export function differingFields(fields: object, a: Inputs, b: Inputs): readonly string[] {
  return fieldsOf(fields)
    .filter(([name, field]) =>
      field.names(name).some((input) => (a.get(input) ?? '') !== (b.get(input) ?? '')),
    )
    .map(([name]) => name);
}

export function fieldsOf(fields: object): readonly (readonly [string, FormField<unknown>])[] {
  return Object.entries(fields);
}
