import { test } from 'node:test';
import assert from 'node:assert/strict';
import { findNameProblem, unlinked } from './plain-text.ts';

const NAMES = {
  Japanese: 'カードショップ雲（本店）',
  'kanji with a variant': '葛\u{e0100}城 辻\ufe00',
  Persian: 'فروشگاه می\u200cخواهم',
  Devanagari: 'क\u094d\u200dष कार्ड्\u200d',
  Bengali: 'র\u200d\u09cdযাম',
  Malayalam: 'ന\u0d4d\u200d',
  Mongolian: 'ᠠ\u180b ᠨ\u180eᠠ',
  'Arabic with vowels and a number sign': 'مَتْجَر\u0600١٢',
  'emoji of several characters':
    '👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 👩🏽\u200d🚀 🐱\u200d💻 ☎\ufe0e 1\ufe0f\u20e3 🏳\ufe0f\u200d🌈',
  'a flag of tags': '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  'accents and signs': 'Ｃafe\u0301 ♀ №1 — “A&B”',
};

const REFUSED = {
  'a character that turns the text around': 'Shop \u202eelpmaxe.knab',
  'an isolate': 'a\u2066b\u2069',
  'a mark of direction': 'a\u200fb',
  'an Arabic mark of direction': 'ا\u061cب',
  'a line separator': 'a\u2028b',
  'a paragraph separator': 'a\u2029b',
  'a zero-width space': 'PayPal\u200b',
  'a word joiner': 'Pay\u2060Pal',
  'a byte order mark': 'a\ufeffb',
  'a soft hyphen': 'Pay\u00adPal',
  'a grapheme joiner': 'a\u034fb',
  'a joiner after a Latin letter': 'PayPal\u200d',
  'a joiner after an accent': 'cafe\u0301\u200c',
  'a joiner after a kanji': '雲\u200d',
  'a second joiner': 'می\u200c\u200cخواهم',
  'a joiner between an emoji and a letter': '🔥\u200da',
  'a selector after a Latin letter': 'a\ufe0f',
  'tags without a flag': 'a\u{e0067}\u{e007f}',
  'a blank Hangul letter': '\u3164',
  'a blank Braille cell': 'a\u2800b',
  'an annotation': 'a\ufff9b\ufffb',
  'a line break': 'a\nb',
  'a C1 control': 'a\u0085b',
};

for (const [what, name] of Object.entries(NAMES)) {
  test(`a name may contain ${what}`, () => {
    assert.equal(findNameProblem(name), null);
  });
}

for (const [what, name] of Object.entries(REFUSED)) {
  test(`a name must not contain ${what}`, () => {
    assert.match(
      findNameProblem(name) ?? 'accepted',
      /^name must not contain (invisible|control) characters$/,
    );
  });
}

const LINKS = {
  'https://evil.example/unlock': 'https: / /evil. example/unlock',
  'http://evil': 'http: / /evil',
  'www.evil': 'www. evil',
  'evil.example': 'evil. example',
  'evil.example.': 'evil. example.',
  '日本語.例え/a': '日本語. 例え/a',
  'evil。example': 'evil。 example',
  'a@evil.example': 'a@evil. example',
  'mailto:a@evil': 'mailto: a@evil',
  '//evil.example': '/ /evil. example',
  '\\\\evil\\share': '\\ \\evil\\share',
  'a\u2028b\u202e': 'a b ',
};

for (const [text, expected] of Object.entries(LINKS)) {
  test(`a mail does not link ${JSON.stringify(text)}`, () => {
    assert.equal(unlinked(text), expected);
  });
}

test('other texts are the same in a mail', () => {
  for (const text of ['カードショップ雲（本店）', 'A&B Cards, Inc.', 'Shop: Tokyo', '10 / 12']) {
    assert.equal(unlinked(text), text);
  }
});
