import { describe } from 'node:test';
import { actOnBoosts } from '../../test/act-boosts.ts';
import { testActions } from '../../test/act-in-chromium.ts';
import { CHROMIUM_PATH } from '../../test/chromium.ts';
import { actOnImports } from '../../test/act-import.ts';
import { actAsClerk, checkErrorPages } from '../../test/act-clerk-and-error-pages.ts';
import { actOnPlaces } from '../../test/act-places.ts';
import { actOnStock } from '../../test/act-stock.ts';

describe('actions of the console in Chromium: stock', { skip: CHROMIUM_PATH === undefined }, () => {
  testActions('stock', {
    locale: 'ja-JP',
    colorScheme: 'light',
    asOwner: [
      ['boosts', actOnBoosts],
      ['stock', actOnStock],
      ['imports', actOnImports],
      ['places', actOnPlaces],
      ['error pages', checkErrorPages],
    ],
    withoutScripts: [
      'a clerk creates a boost, receives units, adds a site and sells a unit',
      actAsClerk,
    ],
  });
});
