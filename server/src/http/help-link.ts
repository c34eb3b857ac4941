import { ERROR_CODES } from './errors.ts';

/** The value of `Link` for an error of this code. */
export type HelpLinks = (code: string) => string;

/**
 * Says in `Link` (RFC 8288, decision 0008) where the documentation tells what an error's code means and what to do: one
 * section a code. Those of our own codes are made once; OAuth has more of them.
 */
export function helpLinks(publicUrl: string): HelpLinks {
  const link: HelpLinks = (code) => `<${publicUrl}/docs/errors#${code}>; rel="help"`;
  const known = new Map<string, string>(ERROR_CODES.map((code) => [code, link(code)]));
  return (code) => known.get(code) ?? link(code);
}
