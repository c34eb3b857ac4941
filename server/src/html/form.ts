/** The default maximum number of fields, because decoding each field takes time. */
const FIELDS_MAX = 100;

export type ParsedForm =
  | { readonly kind: 'form'; readonly fields: ReadonlyMap<string, string> }
  | { readonly kind: 'invalid'; readonly reason: string };

/** Rejects a repeated field (RFC 6749 §3.2), a NUL byte, invalid UTF-8 and too many fields. */
export function parseForm(body: Buffer, fieldsMax: number = FIELDS_MAX): ParsedForm {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body.toString('utf8'))) {
    if (fields.has(name)) {
      return { kind: 'invalid', reason: 'a parameter must not be given more than once' };
    }
    if (fields.size >= fieldsMax) return { kind: 'invalid', reason: 'too many parameters' };
    if (`${name}${value}`.includes('\0')) {
      return { kind: 'invalid', reason: 'a parameter must not contain a NUL byte' };
    }
    if (`${name}${value}`.includes('\uFFFD')) {
      return { kind: 'invalid', reason: 'a parameter is not valid UTF-8' };
    }
    fields.set(name, value);
  }
  return { kind: 'form', fields };
}

export function isFormType(contentType: string | undefined): boolean {
  const [type = ''] = (contentType ?? '').split(';');
  return type.trim().toLowerCase() === 'application/x-www-form-urlencoded';
}
