import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseLanguage } from './language.ts';

describe('the language of pages (Accept-Language, RFC 9110 §12.5.4)', () => {
  for (const [header, language] of [
    [undefined, 'en'],
    ['', 'en'],
    ['ja', 'ja'],
    ['ja-JP', 'ja'],
    ['JA-jp,en;q=0.5', 'ja'],
    ['en-US,en;q=0.9,ja;q=0.8', 'en'],
    ['fr,ja;q=0.3', 'ja'],
    ['ja;q=0.1, en;q=0.2', 'en'],
    ['ja;q=0', 'en'],
    ['*', 'en'],
    ['jav', 'en'],
    [';;;,,,q=x', 'en'],
    [`ja${' '.repeat(2_000)}`, 'en'],
  ] as const) {
    it(`the language is ${language} for ${header?.slice(0, 40) ?? 'no header'}`, () => {
      assert.equal(chooseLanguage(header), language);
    });
  }
});
