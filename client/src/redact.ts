/** The maximum length of a redacted text: about one line of a log. */
const SHOWN_CHARACTERS_MAX = 300;

/**
 * Tokens, codes, client secrets, Shop API keys and signing secrets, recognized by their prefixes
 * (decision 0007) even in the middle of a word.
 */
const BY_PREFIX = /(?:cp[a-z]|csk)(?:_|%5F)[\w%-]+|whsec(?:_|%5F)[\w+/=%-]+/giu;
/** Matches the credentials in an `Authorization` header. */
const CREDENTIALS = /\b(?:Bearer|Basic)(?:\s|%20|\+)+[^\s"',;]+/giu;
/** Values of secret form and URL parameters, even when they are encoded twice. */
const BY_NAME =
  /(?:\b|%26|%3F)(?:code|code_verifier|state|client_secret|client_assertion|(?:\w{1,20}_)?token)(?:=|%3D)[^\s&"']+/giu;
/** Values of the same names in JSON, and in JSON inside a JSON string. */
const BY_MEMBER =
  /(["'])(?:code|code_verifier|state|client_secret|client_assertion|(?:\w{1,20}_)?token)\\?\1\s*:\s*\\?(["'])(?:(?!\\?\2).)+/giu;
const SECRETS = [BY_PREFIX, CREDENTIALS, BY_MEMBER, BY_NAME];

/** Control characters and separators that would break a log line. */
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;

/** Redacts text from elsewhere, such as an `error_description`, and replaces line breaks. */
export function redactSecrets(text: string): string {
  let clean = text.replaceAll(CONTROLS, ' ');
  for (const secret of SECRETS) clean = clean.replaceAll(secret, '[secret]');
  if (clean.length <= SHOWN_CHARACTERS_MAX) return clean;
  return `${clean.slice(0, SHOWN_CHARACTERS_MAX)}…`;
}

/** Returns whether a text seems to contain a secret. If a code, id or URL does, it is not shown. */
export function containsSecret(text: string): boolean {
  return SECRETS.some((secret) => text.search(secret) >= 0);
}
