/** Texts of others are shown up to this many characters: a line of a log. */
const SHOWN_CHARACTERS_MAX = 300;

/** Tokens, codes, client secrets, Shop API keys and signing secrets (decision 0007), wherever in a word they begin. */
const BY_PREFIX = /(?:cp[a-z]|csk)(?:_|%5F)[\w%-]+|whsec(?:_|%5F)[\w+/=%-]+/giu;
/** Credentials of an `Authorization` header. */
const CREDENTIALS = /\b(?:Bearer|Basic)(?:\s|%20|\+)+[^\s"',;]+/giu;
/** What a form or a URL carries by name, also when it was encoded once more. */
const BY_NAME =
  /(?:\b|%26|%3F)(?:code|code_verifier|state|client_secret|client_assertion|(?:\w{1,20}_)?token)(?:=|%3D)[^\s&"']+/giu;
/** The same in JSON, also in JSON that is a text of JSON. */
const BY_MEMBER =
  /(["'])(?:code|code_verifier|state|client_secret|client_assertion|(?:\w{1,20}_)?token)\\?\1\s*:\s*\\?(["'])(?:(?!\\?\2).)+/giu;
const SECRETS = [BY_PREFIX, CREDENTIALS, BY_MEMBER, BY_NAME];

/** What ends a line of a log or moves in it. */
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;

/** A text of somebody else's (a fault's message, an `error_description`) as an error may show it, on one line. */
export function withoutSecrets(text: string): string {
  let clean = text.replaceAll(CONTROLS, ' ');
  for (const secret of SECRETS) clean = clean.replaceAll(secret, '[secret]');
  if (clean.length <= SHOWN_CHARACTERS_MAX) return clean;
  return `${clean.slice(0, SHOWN_CHARACTERS_MAX)}…`;
}

/** Whether a text that is shown as it is or not at all (a code, an id, an address) holds what looks like a secret. */
export function holdsSecret(text: string): boolean {
  return SECRETS.some((secret) => text.search(secret) >= 0);
}
