import { domainToASCII, domainToUnicode } from 'node:url';

/** Names must not contain control characters, and PostgreSQL cannot store NUL. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
/** Format characters (some set the text direction), line separators and blank letters. */
const INVISIBLE = /[\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]/u;
/** U+200C and U+200D are allowed, because Persian and Indic names need them. */
const JOINERS = /[\u200c\u200d]/g;
/** Excludes the characters of a quoted part, a comment, a list or a group (RFC 5322 §3.4). */
const ADDRESS = /^[^\s@<>()[\],;:"\\]+@([^\s@<>()[\],;:"\\]+)$/;

/** Returns why a text is refused, or null, so that the stored text is exactly what was typed. */
export function findTextProblem(
  field: string,
  value: string,
  codePointsMax: number,
): string | null {
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

/** Refuses invisible characters too, because pages show the name next to the person's actions. */
export function findPersonNameProblem(
  field: string,
  value: string,
  codePointsMax: number,
): string | null {
  const problem = findTextProblem(field, value, codePointsMax);
  if (problem !== null) return problem;
  return INVISIBLE.test(value.replaceAll(JOINERS, ''))
    ? `${field} must not contain invisible characters`
    : null;
}

/**
 * Allows 254 characters (RFC 5321 §4.5.3). Quotes, comments, lists, invisible characters and a
 * domain that is displayed differently (UTS 46) are refused: a mailer could send elsewhere.
 */
export function findEmailProblem(field: string, value: string): string | null {
  const problem = findTextProblem(field, value, 254);
  if (problem !== null) return problem;
  const [, domain] = ADDRESS.exec(value) ?? [];
  if (domain === undefined || INVISIBLE.test(value)) {
    return `${field} is not a valid email address`;
  }
  const shown = domainToUnicode(domainToASCII(domain));
  const isDisplayedAsTyped = shown !== '' && shown === domain.toLowerCase().normalize('NFC');
  return isDisplayedAsTyped ? null : `${field} is not a valid email address`;
}
