import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { ERROR_CODES } from './errors.ts';
import { createHelpLinks } from './help-link.ts';

/** The OAuth error codes that our endpoints return (RFC 6749 §5.2, RFC 8707, decision 0007). */
const OAUTH_CODES = [
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_target',
];

describe('the help link of an error (decision 0008)', () => {
  const links = createHelpLinks('https://cards.example');

  it('points to the section for the error code', () => {
    const link = '<https://cards.example/docs/errors#forbidden>; rel="help"';
    assert.equal(links('forbidden'), link);
    assert.equal(links('invalid_grant'), link.replace('forbidden', 'invalid_grant'));
  });

  it('points to a section that exists, for every code', () => {
    const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
    const sections = new Set([...page.matchAll(/^#+ (\w+)$/gm)].map(([, title]) => title));
    for (const code of [...ERROR_CODES, ...OAUTH_CODES]) assert.ok(sections.has(code), code);
  });
});
