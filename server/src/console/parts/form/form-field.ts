import type { Markup } from '../../../pages/page.ts';

/** What the inputs of a form hold, by their names, as a browser sends them. */
export type Inputs = ReadonlyMap<string, string>;

/** Says at an input why what it holds is not taken. */
export type Refuse = (input: string, why: string) => undefined;

/** The inputs of a form as they are shown. */
export interface ShownInputs {
  readonly inputs: Inputs;
  readonly textOf: (input: string) => string;
  readonly faultOf: (input: string) => string | null;
}

/**
 * One value of a form: in one input, which is called as the field is, or in several. How it is shown, read and said is
 * here; when it is written, and what another may have made of it meanwhile, is for the form.
 */
export interface FormField<T> {
  readonly label: string;
  /** Its inputs. What is said of the field as a whole stands at the first one. */
  names(name: string): readonly string[];
  /** What the inputs hold for a value. An input that is missing is empty. */
  show(name: string, value: T): Readonly<Record<string, string>>;
  /** The value that was typed; undefined after `refuse`. */
  read(name: string, inputs: Inputs, refuse: Refuse): T | undefined;
  /** What the inputs hold, for a sentence; empty when that is nothing. */
  say(name: string, inputs: Inputs): string | Promise<string>;
  render(name: string, shown: ShownInputs): Markup | Promise<Markup>;
  /** True when a button of the field sent the form: to see more to choose from, not to save. */
  isAsking?(inputs: Inputs): boolean;
}

/** The fields of a form that holds these values, by name and in their order. A value that is left out has no field. */
export type FieldsOf<V> = {
  readonly [K in keyof V]: FormField<Exclude<V[K], undefined>>;
};

/** The inputs of a form that shows these values; the fields of those that are left out are empty. */
export function inputsOf<V extends object>(fields: FieldsOf<V>, values: Partial<V>): Inputs {
  const shown = new Map<string, unknown>(Object.entries(values));
  return new Map(
    fieldsOf(fields).flatMap(([name, field]) =>
      shown.has(name) ? Object.entries(field.show(name, shown.get(name))) : [],
    ),
  );
}

/** Reads every field; null when one is at fault, which `refuse` was told. */
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

/** The names of the fields in which two forms differ. */
export function differingFields(fields: object, a: Inputs, b: Inputs): readonly string[] {
  return fieldsOf(fields)
    .filter(([name, field]) =>
      field.names(name).some((input) => (a.get(input) ?? '') !== (b.get(input) ?? '')),
    )
    .map(([name]) => name);
}

/** The fields with their names. */
export function fieldsOf(fields: object): readonly (readonly [string, FormField<unknown>])[] {
  return Object.entries(fields);
}
