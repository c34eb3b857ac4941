import { ERROR_CODES } from './errors.ts';

export type HelpLinks = (code: string) => string;

/** Renders `Link` headers to the documentation of error codes (RFC 8288, decision 0008). */
export function createHelpLinks(publicUrl: string): HelpLinks {
  const link: HelpLinks = (code) => `<${publicUrl}/docs/errors#${code}>; rel="help"`;
  const known = new Map<string, string>(ERROR_CODES.map((code) => [code, link(code)]));
  return (code) => known.get(code) ?? link(code);
}
