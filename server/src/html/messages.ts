import type { Language } from './language.ts';

/** A text in one language. A function inserts values into the text. */
type Text = string | readonly string[] | ((...values: never[]) => unknown);

export type Message = Readonly<Record<Language, Text>>;

export interface MessageTable {
  readonly [key: string]: Message | MessageTable;
}

/** The messages of a table in one language. A function takes parameters that fit all languages. */
export type Translated<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends Message
    ? Widened<Table[Key][Language]>
    : Translated<Table[Key]>;
};

type Widened<Value> = Value extends string ? string : Value;

export type MessagesOf<Tables extends Readonly<Record<Language, unknown>>> = Tables[Language];

/** The compiler reports missing translations, and functions with different parameters. */
export function defineMessages<Table extends MessageTable>(
  table: Table,
): Readonly<Record<Language, Translated<Table>>>;
export function defineMessages(table: MessageTable): Readonly<Record<Language, unknown>> {
  return { en: inLanguage(table, 'en'), ja: inLanguage(table, 'ja') };
}

function inLanguage(table: MessageTable, language: Language): Readonly<Record<string, unknown>> {
  const entries = Object.entries(table).map(([key, entry]): [string, unknown] => [
    key,
    isMessage(entry) ? entry[language] : inLanguage(entry, language),
  ]);
  return Object.fromEntries(entries);
}

function isMessage(entry: Message | MessageTable): entry is Message {
  const { en } = entry;
  return typeof en === 'string' || typeof en === 'function' || Array.isArray(en);
}
