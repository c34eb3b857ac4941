import type { Language } from '../../../html/language.ts';
import type { Markup } from '../../../html/page.ts';
import { amountText, parseAmount } from '../../../shops/amount-text.ts';
import { parseCount } from '../../parse-count.ts';
import { formatLocalInstant, parseLocalInstant } from '../../local-instant.ts';
import {
  checkboxField,
  type Choice,
  selectField,
  textField,
  type TextFieldOptions,
} from '../field.ts';
import type { FormField } from './form-field.ts';
import { formMessages } from './messages.ts';

interface ControlState {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly error: string | null;
}

/** The properties of a field that consists of a single input. */
export interface SingleInput<T> {
  readonly label: string;
  readonly show: (value: T) => string;
  readonly read: (text: string, refuse: (why: string) => undefined) => T | undefined;
  /** Returns the text as part of a sentence. The default is the text itself. */
  readonly say?: (text: string) => string | Promise<string>;
  readonly render: (state: ControlState) => Markup | Promise<Markup>;
}

/** The options of a control. The form adds the name, value and error. */
type ControlOptions = Omit<TextFieldOptions, 'name' | 'value' | 'error'>;

export function singleInput<T>({ label, show, read, say, render }: SingleInput<T>): FormField<T> {
  return {
    label,
    names: (name) => [name],
    show: (name, value) => ({ [name]: show(value) }),
    read: (name, inputs, refuse) => read(inputs.get(name) ?? '', (why) => refuse(name, why)),
    say: (name, inputs) => {
      const text = inputs.get(name) ?? '';
      return say === undefined ? text : say(text);
    },
    render: (name, { textOf, errorOf }) =>
      render({ name, label, value: textOf(name), error: errorOf(name) }),
  };
}

/** Returns the same field, except that an empty input means null. */
export function nullable<T>(field: FormField<T>): FormField<T | null> {
  return {
    ...field,
    show: (name, value) => (value === null ? {} : field.show(name, value)),
    read: (name, inputs, refuse) =>
      field.names(name).every((input) => (inputs.get(input) ?? '').trim() === '')
        ? null
        : field.read(name, inputs, refuse),
  };
}

function textLikeInput<T>(
  options: ControlOptions,
  kind: Pick<SingleInput<T>, 'show' | 'read' | 'say'>,
): FormField<T> {
  const { label } = options;
  const render = (state: ControlState): Markup => textField({ ...options, ...state });
  return singleInput({ label, ...kind, render });
}

/** Creates a text field. Surrounding spaces are removed from the typed text. */
export function textInput({
  accepts,
  invalidMessage,
  tidy: normalize = (text) => text,
  ...options
}: ControlOptions & {
  readonly accepts: (text: string) => boolean;
  /** The error for a text that `accepts` rejects. */
  readonly invalidMessage: string | ((text: string) => string);
  readonly tidy?: (text: string) => string;
}): FormField<string> {
  return textLikeInput(options, {
    show: (value) => value,
    read: (typed, refuse) => {
      const text = normalize(typed.trim());
      if (accepts(text)) return text;
      return refuse(typeof invalidMessage === 'string' ? invalidMessage : invalidMessage(text));
    },
  });
}

/** Creates a field for an amount, which is typed in the currency's major unit. */
export function amountInput(
  language: Language,
  { currency, ...options }: ControlOptions & { readonly currency: string },
): FormField<number> {
  return textLikeInput(
    { inputMode: 'decimal', autocomplete: 'off', maxLength: 24, ...options },
    {
      show: (minor) => amountText(minor, currency),
      read: (text, refuse) => readAmount(text, currency, language, refuse),
    },
  );
}

/** Parses a typed amount. Calls `refuse` with the reason if the amount is invalid. */
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

/** Creates a field for a whole number from `min` to `max`. */
export function countInput({
  bounds: [min, max],
  invalidMessage,
  ...options
}: ControlOptions & {
  readonly bounds: readonly [min: number, max: number];
  readonly invalidMessage: string;
}): FormField<number> {
  return textLikeInput(
    { inputMode: 'numeric', isShort: true, autocomplete: 'off', maxLength: 12, ...options },
    { show: String, read: (text, refuse) => parseCount(text, min, max) ?? refuse(invalidMessage) },
  );
}

/** Creates a field for a date and time in the shop's time zone, to the minute. */
export function instantInput(
  language: Language,
  { zone, ...options }: ControlOptions & { readonly zone: string },
): FormField<Date> {
  const invalidMessage = formMessages[language].noInstant;
  return textLikeInput(
    { type: 'datetime-local', ...options },
    {
      show: (instant) => formatLocalInstant(instant, zone),
      read: (text, refuse) => parseLocalInstant(text.trim(), zone) ?? refuse(invalidMessage),
      say: (text) => text.replace('T', ' '),
    },
  );
}

/** Creates a field that offers a few values, each with a label. */
export function choiceInput<T extends string>({
  choices,
  invalidMessage,
  ...options
}: ControlOptions & {
  readonly choices: Readonly<Record<T, string>>;
  /** The error for a value that is not among the choices. */
  readonly invalidMessage: string;
}): FormField<T> {
  const list = choicesOf(choices);
  return singleInput<T>({
    label: options.label,
    show: (value) => value,
    read: (text, refuse) =>
      list.find(({ value }) => value === text)?.value ?? refuse(invalidMessage),
    say: (text) => list.find(({ value }) => value === text)?.label ?? text,
    render: (state) => selectField({ ...options, ...state, choices: list }),
  });
}

function choicesOf<T extends string>(
  choices: Readonly<Record<T, string>>,
): readonly (Choice & { readonly value: T })[] {
  // The cast is safe: every caller passes an object literal with exactly the keys of the type.
  return Object.entries<string>(choices).map(([value, label]) => ({ value: value as T, label }));
}

export function checkboxInput(
  language: Language,
  options: { readonly label: string; readonly hint: string },
): FormField<boolean> {
  const { yes, no } = formMessages[language];
  const field = singleInput<boolean>({
    label: options.label,
    show: (isTicked) => (isTicked ? 'on' : ''),
    read: (text) => text === 'on',
    say: (text) => (text === 'on' ? yes : no),
    render: ({ name, value }) => checkboxField({ ...options, name, isTicked: value === 'on' }),
  });
  return { ...field, hasTicks: true };
}
