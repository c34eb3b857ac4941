import { domainToASCII, domainToUnicode } from 'node:url';

/** Names must not contain control characters, and PostgreSQL cannot store NUL. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
/** The maximum length of a name in code points. The schema has the same limit. */
const NAME_CODE_POINTS_MAX = 200;
/** The scripts whose letters need no joiner, unlike those of Arabic or Devanagari. */
const UNSHAPED = ['Zinh', 'Latn', 'Grek', 'Cyrl', 'Hani', 'Hira', 'Kana', 'Hang'];
const SHAPED = String.raw`[[\p{L}\p{M}]--[\p{DI}${UNSHAPED.map((each) => `\\p{scx=${each}}`).join('')}]]`;
/** The invisible characters that belong to a word, to a kanji (its variant) or to an emoji. */
const NEEDED = [
  String.raw`(?<=${SHAPED})[\u200c\u200d\u180b-\u180f\ufe00]`,
  String.raw`(?<=\p{sc=Hani})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`,
  String.raw`\p{RGI_Emoji}`,
  String.raw`(?<=\p{ExtPict})[\ufe0e\ufe0f]`,
  String.raw`(?<=[\p{ExtPict}\p{EMod}\ufe0f])\u200d(?=\p{ExtPict})`,
].join('|');
/** Controls, format characters except visible Arabic signs, separators and blank letters. */
const INVISIBLE = String.raw`[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}\u2800]--[\u0600-\u0605\u06dd\u08e2]]`;
const ANY_INVISIBLE = new RegExp(INVISIBLE, 'v');
const NEEDED_OR_INVISIBLE = new RegExp(`(${NEEDED})|${INVISIBLE}`, 'gv');
/** Excludes the characters of a quoted part, a comment, a list or a group (RFC 5322 §3.4). */
const ADDRESS = /^[^\s@<>()[\],;:"\\]+@([^\s@<>()[\],;:"\\]+)$/;

/** Returns why a text is refused, or null, so that the stored text is exactly what was typed. */
function findTextProblem(field: string, value: string, codePointsMax: number): string | null {
  if (!value.isWellFormed() || CONTROL.test(value)) {
    return `${field} must not contain control characters`;
  }
  if (value.trim() === '') return `${field} must not be empty`;
  if (value.trim() !== value) return `${field} must not begin or end with a space`;
  if (Array.from(value).length > codePointsMax) {
    return `${field} must have at most ${codePointsMax} characters`;
  }
  return null;
}

/**
 * The one rule for a name that other people see, of a person or a thing (decision 0214). With an
 * invisible character it could look like another name, or turn around the text after it.
 */
export function findNameProblem(name: string, codePointsMax = NAME_CODE_POINTS_MAX): string | null {
  const problem = findTextProblem('name', name, codePointsMax);
  return problem === null && hasInvisible(name)
    ? 'name must not contain invisible characters'
    : problem;
}

export function hasInvisible(value: string): boolean {
  return blankInvisible(value) !== value;
}

/** Replaces each character that a name must not contain, in a text from elsewhere, by a space. */
export function blankInvisible(value: string): string {
  return value.replaceAll(NEEDED_OR_INVISIBLE, (_, needed?: string) => needed ?? ' ');
}

/**
 * Spaces out a text that a member has typed, so that no mail program makes it a link: after each dot
 * or colon inside a word, and between slashes (decision 0214).
 */
export function unlinked(text: string): string {
  return blankInvisible(text)
    .replaceAll(/(?<=[.\u2024\u3002\uff0e\uff61])(?=\S)/g, ' ')
    .replaceAll(/(?<=[\p{L}\d][:\uff1a])(?=\S)/gu, ' ')
    .replaceAll(/(?<=[/\\])(?=[/\\])/g, ' ');
}

/**
 * Allows 254 characters (RFC 5321 §4.5.3). Quotes, comments, lists, invisible characters and a
 * domain that is displayed differently (UTS 46) are refused: a mailer could send elsewhere.
 */
export function findEmailProblem(field: string, value: string): string | null {
  const problem = findTextProblem(field, value, 254);
  if (problem !== null) return problem;
  const [, domain] = ADDRESS.exec(value) ?? [];
  if (domain === undefined || ANY_INVISIBLE.test(value)) {
    return `${field} is not a valid email address`;
  }
  const shown = domainToUnicode(domainToASCII(domain));
  const isDisplayedAsTyped = shown !== '' && shown === domain.toLowerCase().normalize('NFC');
  return isDisplayedAsTyped ? null : `${field} is not a valid email address`;
}
