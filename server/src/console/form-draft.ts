import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { deriveKey } from '../base/keys.ts';
import { unsealBytes, seal } from '../base/seal.ts';
import { readCookie } from '../html/cookie.ts';
import { FORM_TOKEN_FIELD } from '../html/form-guard.ts';
import { parseForm } from '../html/form.ts';

/** Each page's cookie has this name and the page's own `Path`. */
const COOKIE = 'cardport_kept';
const LIFETIME_SECONDS = 1_800;
const FORM_BYTES_MAX = 32_768;
/** The receiving form has up to three fields for each of its 100 lines. */
export const CONSOLE_FIELDS_MAX = 350;
/** Browsers accept cookies of 4,096 bytes, including the name and the attributes. */
const COOKIE_CHARACTERS_MAX = 3_600;
/** Excludes characters that would end the path in a `Set-Cookie`. */
const PATH = /^\/[\w/.~%-]{1,300}$/;

/**
 * Returns the value of a form's hidden field: its CSRF token, and the key that encrypts the form if
 * it is posted after the session has ended. The form guard derives both from a cookie of this
 * browser, and the key also from the account. No other site or member knows it.
 */
export function joinFormTokens([token = '', draftKey = '']: readonly string[]): string {
  return `${token}.${draftKey}`;
}

export function csrfTokenOf(field: string | undefined): string | undefined {
  return field?.split('.')[0];
}

/**
 * Returns the `Set-Cookie` that stores a form posted to `path` as a draft until the person has
 * signed in, or null if it cannot be stored. Only forms of `parts/form` are stored: they have the
 * field `seen`, and no files or passwords.
 */
export function saveFormDraft(
  path: string,
  body: unknown,
  now: Date,
  isSecure: boolean,
): string | null {
  if (!Buffer.isBuffer(body) || body.length > FORM_BYTES_MAX || !PATH.test(path)) return null;
  const parsed = parseForm(body, CONSOLE_FIELDS_MAX);
  if (parsed.kind === 'invalid' || !parsed.fields.has('seen')) return null;
  const fields = new Map(parsed.fields);
  const draftKey = fields.get(FORM_TOKEN_FIELD)?.split('.')[1] ?? '';
  if (draftKey === '') return null;
  fields.delete(FORM_TOKEN_FIELD);
  const endsAtMs = now.getTime() + LIFETIME_SECONDS * 1_000;
  const content = deflateRawSync(JSON.stringify([endsAtMs, ...fields]));
  const sealed = seal(content, deriveKey(draftKey, 'kept form'), contextOf(path));
  const value = sealed.toString('base64url');
  if (value.length > COOKIE_CHARACTERS_MAX) return null;
  return cookieLine(path, value, LIFETIME_SECONDS, isSecure);
}

/** A form that was posted after the session had ended, and the `Set-Cookie` that removes it. */
export interface FormDraft {
  /** Null in another browser, for another account, or half an hour after the form was posted. */
  readonly fields: ReadonlyMap<string, string> | null;
  readonly clear: string;
}

/** Returns the draft for the page at `path`, or null if the browser has none. */
export function readFormDraft(
  path: string,
  cookieHeader: string | undefined,
  draftKey: string,
  now: Date,
  isSecure: boolean,
): FormDraft | null {
  const value = readCookie(cookieHeader, COOKIE);
  if (value === undefined || !PATH.test(path)) return null;
  const key = deriveKey(draftKey, 'kept form');
  const content = unsealBytes(Buffer.from(value, 'base64url'), key, contextOf(path));
  const fields = content === undefined ? null : parseContent(content, now);
  return { fields, clear: cookieLine(path, '', 0, isSecure) };
}

function parseContent(content: Buffer, now: Date): ReadonlyMap<string, string> | null {
  // Do not trust the content: members know the key of their own forms and can encrypt any content.
  try {
    const text = inflateRawSync(content, { maxOutputLength: 4 * FORM_BYTES_MAX }).toString();
    const parsed: unknown = JSON.parse(text);
    if (!Array.isArray(parsed) || !(Number(parsed[0]) > now.getTime())) return null;
    return new Map(parsed.slice(1).map(([name, value]) => [String(name), String(value)]));
  } catch {
    return null;
  }
}

function contextOf(path: string): Buffer {
  return Buffer.from(`cardport kept form ${path}`);
}

function cookieLine(path: string, value: string, maxAgeSeconds: number, isSecure: boolean): string {
  const secure = isSecure ? '; Secure' : '';
  return `${COOKIE}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}
