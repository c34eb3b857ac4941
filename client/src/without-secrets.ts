/** Texts of others are shown up to this many characters: a line of a log. */
const SHOWN_CHARACTERS_MAX = 300;

// Tokens, codes, client secrets, Shop API keys and signing secrets by their prefixes (decision 0007), credentials of an
// Authorization header, and what a form or a URL carries by name.
const SECRETS =
  /\b(?:cp[a-z]|csk)_[\w-]+|whsec_[\w+/=-]+|\b(?:Bearer|Basic)\s+[^\s"',;]+|\b(?:code|code_verifier|state|access_token|refresh_token|client_secret|token)=[^\s&"']+/giu;

/** A text of somebody else's (a fault's message, an `error_description`) as an error may show it. */
export function withoutSecrets(text: string): string {
  const clean = text.replaceAll(SECRETS, '[secret]');
  if (clean.length <= SHOWN_CHARACTERS_MAX) return clean;
  return `${clean.slice(0, SHOWN_CHARACTERS_MAX)}…`;
}
