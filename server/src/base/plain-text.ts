import { domainToASCII, domainToUnicode } from 'node:url';

/** Control characters have no place in a name; PostgreSQL refuses NUL altogether. */
// oxlint-disable-next-line no-control-regex -- the range is what this file is about
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
/** Characters of format, among them those that turn the direction, line ends, and letters that are blank. */
const UNSEEN = /[\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]/u;
/** Names in Persian and in the scripts of India are written with them (U+200C, U+200D). */
const JOINERS = /[\u200c\u200d]/g;
/** Letters that make a quoted part, a comment, a list or a group of an address (RFC 5322 §3.4) stand in none. */
const ADDRESS = /^[^\s@<>()[\],;:"\\]+@([^\s@<>()[\],;:"\\]+)$/;

/**
 * Says why `value` is no text of 1 to `codePointsMax` code points, or returns null when it is one. Spaces around it,
 * control characters and unpaired surrogates are refused, so that what is stored is what was typed.
 */
export function findTextFault(field: string, value: string, codePointsMax: number): string | null {
  if (!value.isWellFormed() || CONTROL.test(value)) return `${field} holds a control character`;
  if (value.trim() === '') return `${field} is empty`;
  if (value.trim() !== value) return `${field} begins or ends with a space`;
  // PostgreSQL counts code points too.
  if (Array.from(value).length > codePointsMax) {
    return `${field} is longer than ${codePointsMax} characters`;
  }
  return null;
}

/**
 * Says why `value` cannot name a person, or returns null when it can. Beyond what no text may hold, a name holds nothing
 * that is not seen, or turns the text around it: it stands beside what that person did.
 */
export function findPersonNameFault(
  field: string,
  value: string,
  codePointsMax: number,
): string | null {
  const fault = findTextFault(field, value, codePointsMax);
  if (fault !== null) return fault;
  return UNSEEN.test(value.replaceAll(JOINERS, '')) ? `${field} holds an unseen character` : null;
}

/**
 * Says why `value` is no e-mail address, or returns null when it is one (at most 254 characters, RFC 5321 §4.5.3). What a
 * mailer would read as another address is none: quotes, comments, lists, unseen characters, and a domain that is not in
 * the form in which it is shown (UTS 46).
 */
export function findEmailFault(field: string, value: string): string | null {
  const fault = findTextFault(field, value, 254);
  if (fault !== null) return fault;
  const [, domain] = ADDRESS.exec(value) ?? [];
  if (domain === undefined || UNSEEN.test(value)) return `${field} is no e-mail address`;
  const shown = domainToUnicode(domainToASCII(domain));
  const isShown = shown !== '' && shown === domain.toLowerCase().normalize('NFC');
  return isShown ? null : `${field} is no e-mail address`;
}
