export interface CodeInfo {
  /** The first word, in lower case; empty if there is none. */
  readonly language: string;
  /** Bare words: `run`, `background`, `answer`. */
  readonly words: ReadonlySet<string>;
  /** `name=value` and `name="a value"`: `file`, `skip`, `schema`, `exit`. */
  readonly options: ReadonlyMap<string, string>;
}

/** A bare word, or a name with a value that may be quoted. */
const PART = /([^\s="]+)(?:=(?:"([^"]*)"|(\S*)))?/g;

/** An info string (CommonMark §4.5): `ts file=app.ts run`. Other content is ignored. */
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
