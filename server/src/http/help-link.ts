import { ERROR_CODES } from './errors.ts';

export type HelpLinks = (code: string) => string;

/**
 * Returns a function that renders the `Link` header (RFC 8288, decision 0008) to the documentation
 * of an error code. The links of our codes are built in advance, but not those of OAuth's codes.
 */
export function createHelpLinks(publicUrl: string): HelpLinks {
  const link: HelpLinks = (code) => `<${publicUrl}/docs/errors#${code}>; rel="help"`;
  const known = new Map<string, string>(ERROR_CODES.map((code) => [code, link(code)]));
  return (code) => known.get(code) ?? link(code);
}
