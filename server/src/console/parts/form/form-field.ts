import type { Markup } from '../../../html/page.ts';

/** The inputs of a form by name, as a browser submits them. */
export type Inputs = ReadonlyMap<string, string>;

/** Reports why the content of an input is rejected. */
export type RefuseInput = (input: string, why: string) => undefined;

/** The inputs of a form with the texts and errors to render. */
export interface RenderedInputs {
  readonly inputs: Inputs;
  readonly textOf: (input: string) => string;
  readonly errorOf: (input: string) => string | null;
}

/**
 * One value of a form, in one or more inputs. The field renders and reads the value; the form
 * saves it and detects concurrent changes.
 */
export interface FormField<T> {
  readonly label: string;
  /** An error of the field itself is shown at the first of these inputs. */
  names(name: string): readonly string[];
  /** Returns the content of the inputs for a value. An input that the result lacks is empty. */
  show(name: string, value: T): Readonly<Record<string, string>>;
  /** Returns the submitted value, or calls `refuse` and returns undefined. */
  read(name: string, inputs: Inputs, refuse: RefuseInput): T | undefined;
  /** Returns the inputs' content as part of a sentence, or an empty text if there is none. */
  say(name: string, inputs: Inputs): string | Promise<string>;
  render(name: string, shown: RenderedInputs): Markup | Promise<Markup>;
  /** True if a browser leaves out the inputs that are not ticked. */
  readonly hasTicks?: boolean;
  /** Returns true if a button of the field submitted the form to search, not to save. */
  isSearch?(inputs: Inputs): boolean;
}

/** In display order. An absent optional value has no field. */
export type FieldsOf<V> = {
  readonly [K in keyof V]: FormField<Exclude<V[K], undefined>>;
};

/** Returns the inputs of a form for these values. Fields without a value are empty. */
export function inputsOf<V extends object>(fields: FieldsOf<V>, values: Partial<V>): Inputs {
  const shown = new Map<string, unknown>(Object.entries(values));
  return new Map(
    fieldsOf(fields).flatMap(([name, field]) =>
      shown.has(name) ? Object.entries(field.show(name, shown.get(name))) : [],
    ),
  );
}

/** Reads every field. Calls `refuse` for each invalid field, and then returns null. */
export function readFields<V extends object>(
  fields: FieldsOf<V>,
  inputs: Inputs,
  refuse: RefuseInput,
): V | null {
  const entries = fieldsOf(fields).map(
    ([name, field]) => [name, field.read(name, inputs, refuse)] as const,
  );
  if (entries.some(([, value]) => value === undefined)) return null;
  // The cast is safe because each value was read by the field of the same name.
  return Object.fromEntries(entries) as V;
}

/** Returns the names of the fields that differ between two sets of inputs. */
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
