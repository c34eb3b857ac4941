export interface CodeInfo {
  /** The first word in lower case, or an empty text. */
  readonly language: string;
  /** The words without a value: `run`, `background`, `answer`. */
  readonly words: ReadonlySet<string>;
  /** The options `name=value` and `name="a value"`: `file`, `skip`, `schema`, `exit`. */
  readonly options: ReadonlyMap<string, string>;
}

/** Matches a word, or a name with a value that may be quoted. */
const PART = /([^\s="]+)(?:=(?:"([^"]*)"|(\S*)))?/g;

/** Parses an info string (CommonMark §4.5) such as `ts file=app.ts run`. */
export function parseCodeInfo(info: string): CodeInfo {
  const [language = '', ...rest] = info.trim().split(/\s+/);
  const words = new Set<string>();
  const options = new Map<string, string>();
  for (const match of rest.join(' ').matchAll(PART)) {
    const [, name = '', quoted, plain] = match;
    const value = quoted ?? plain;
    if (value === undefined) words.add(name);
    else options.set(name, value);
  }
  return { language: language.toLowerCase(), words, options };
}
