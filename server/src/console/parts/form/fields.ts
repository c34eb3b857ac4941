import type { Language } from '../../../pages/language.ts';
import type { Markup } from '../../../pages/page.ts';
import { amountText, parseAmount } from '../../amount-text.ts';
import { parseCount } from '../../count-text.ts';
import { localTextOf, parseLocalInstant } from '../../local-instant.ts';
import { boxField, type Choice, selectField, textField, type TextFieldOptions } from '../field.ts';
import type { FormField } from './form-field.ts';
import { formMessages } from './messages.ts';

interface ControlState {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly fault: string | null;
}

/** What distinguishes one field with a single input from another. */
export interface OneInput<T> {
  readonly label: string;
  readonly show: (value: T) => string;
  readonly read: (text: string, refuse: (why: string) => undefined) => T | undefined;
  /** Default: the text itself. */
  readonly say?: (text: string) => string | Promise<string>;
  readonly render: (state: ControlState) => Markup | Promise<Markup>;
}

/** The look of a control; name, value and fault come from the form. */
type Look = Omit<TextFieldOptions, 'name' | 'value' | 'fault'>;

export function oneInput<T>({ label, show, read, say, render }: OneInput<T>): FormField<T> {
  return {
    label,
    names: (name) => [name],
    show: (name, value) => ({ [name]: show(value) }),
    read: (name, inputs, refuse) => read(inputs.get(name) ?? '', (why) => refuse(name, why)),
    say: (name, inputs) => {
      const text = inputs.get(name) ?? '';
      return say === undefined ? text : say(text);
    },
    render: (name, { textOf, faultOf }) =>
      render({ name, label, value: textOf(name), fault: faultOf(name) }),
  };
}

/** The same field, where an empty input is null. */
export function orNone<T>(field: FormField<T>): FormField<T | null> {
  return {
    ...field,
    show: (name, value) => (value === null ? {} : field.show(name, value)),
    read: (name, inputs, refuse) =>
      field.names(name).every((input) => (inputs.get(input) ?? '').trim() === '')
        ? null
        : field.read(name, inputs, refuse),
  };
}

function lineInput<T>(look: Look, kind: Pick<OneInput<T>, 'show' | 'read' | 'say'>): FormField<T> {
  const { label } = look;
  const render = (state: ControlState): Markup => textField({ ...look, ...state });
  return oneInput({ label, ...kind, render });
}

/** A text, trimmed. */
export function textInput({
  accepts,
  wrong,
  tidy = (text) => text,
  ...look
}: Look & {
  readonly accepts: (text: string) => boolean;
  /** The fault for a text that is not accepted. */
  readonly wrong: string | ((text: string) => string);
  readonly tidy?: (text: string) => string;
}): FormField<string> {
  return lineInput(look, {
    show: (value) => value,
    read: (typed, refuse) => {
      const text = tidy(typed.trim());
      if (accepts(text)) return text;
      return refuse(typeof wrong === 'string' ? wrong : wrong(text));
    },
  });
}

/** An amount of a currency, typed in its major unit. */
export function amountInput(
  language: Language,
  { currency, ...look }: Look & { readonly currency: string },
): FormField<number> {
  return lineInput(
    { inputMode: 'decimal', autocomplete: 'off', maxLength: 24, ...look },
    {
      show: (minor) => amountText(minor, currency),
      read: (text, refuse) => readAmount(text, currency, language, refuse),
    },
  );
}

/** Reads a typed amount; calls `refuse` with the reason when it is invalid. */
export function readAmount(
  text: string,
  currency: string,
  language: Language,
  refuse: (why: string) => undefined,
): number | undefined {
  const messages = formMessages[language];
  const typed = parseAmount(text, currency);
  switch (typed.kind) {
    case 'amount':
      return typed.minor;
    case 'empty':
    case 'no_amount':
      return refuse(messages.noAmount);
    case 'too_large':
      return refuse(messages.largeAmount);
    case 'digits':
      return refuse(messages.fineAmount(typed.digits, currency));
  }
}

/** A whole number; both bounds are included. */
export function countInput({
  bounds: [min, max],
  wrong,
  ...look
}: Look & {
  readonly bounds: readonly [min: number, max: number];
  readonly wrong: string;
}): FormField<number> {
  return lineInput(
    { inputMode: 'numeric', isShort: true, autocomplete: 'off', maxLength: 12, ...look },
    { show: String, read: (text, refuse) => parseCount(text, min, max) ?? refuse(wrong) },
  );
}

/** A date and time in the shop's zone, to the minute. */
export function instantInput(
  language: Language,
  { zone, ...look }: Look & { readonly zone: string },
): FormField<Date> {
  const wrong = formMessages[language].noInstant;
  return lineInput(
    { type: 'datetime-local', ...look },
    {
      show: (instant) => localTextOf(instant, zone),
      read: (text, refuse) => parseLocalInstant(text.trim(), zone) ?? refuse(wrong),
      say: (text) => text.replace('T', ' '),
    },
  );
}

/** One of a few values, each with its label. */
export function choiceInput<T extends string>({
  choices,
  wrong,
  ...look
}: Look & {
  readonly choices: Readonly<Record<T, string>>;
  /** The fault for any other value. */
  readonly wrong: string;
}): FormField<T> {
  const list = choicesOf(choices);
  return oneInput<T>({
    label: look.label,
    show: (value) => value,
    read: (text, refuse) => list.find(({ value }) => value === text)?.value ?? refuse(wrong),
    say: (text) => list.find(({ value }) => value === text)?.label ?? text,
    render: (state) => selectField({ ...look, ...state, choices: list }),
  });
}

function choicesOf<T extends string>(
  choices: Readonly<Record<T, string>>,
): readonly (Choice & { readonly value: T })[] {
  // The keys are exactly those of the type, because every caller writes the table out.
  return Object.entries<string>(choices).map(([value, label]) => ({ value: value as T, label }));
}

export function boxInput(
  language: Language,
  look: { readonly label: string; readonly hint: string },
): FormField<boolean> {
  const { yes, no } = formMessages[language];
  return oneInput({
    label: look.label,
    show: (isTicked) => (isTicked ? 'on' : ''),
    read: (text) => text === 'on',
    say: (text) => (text === 'on' ? yes : no),
    render: ({ name, value }) => boxField({ ...look, name, isTicked: value === 'on' }),
  });
}
