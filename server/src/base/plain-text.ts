/** Control characters have no place in a name; PostgreSQL refuses NUL altogether. */
// oxlint-disable-next-line no-control-regex -- the range is what this file is about
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

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

/** Says why `value` is no e-mail address, or returns null when it is one (at most 254 characters, RFC 5321 §4.5.3). */
export function findEmailFault(field: string, value: string): string | null {
  const fault = findTextFault(field, value, 254);
  if (fault !== null) return fault;
  return /^[^\s@]+@[^\s@]+$/.test(value) ? null : `${field} is no e-mail address`;
}
