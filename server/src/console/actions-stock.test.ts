import { describe } from 'node:test';
import { runBoostActions } from '../../test/act-boosts.ts';
import { testActions } from '../../test/act-in-chromium.ts';
import { CHROMIUM_PATH } from '../../test/chromium.ts';
import { runImportActions } from '../../test/act-import.ts';
import { runClerkActions, checkErrorPages } from '../../test/act-clerk-and-error-pages.ts';
import { runPlaceActions } from '../../test/act-places.ts';
import { runStockActions } from '../../test/act-stock.ts';

describe('actions of the console in Chromium: stock', { skip: CHROMIUM_PATH === undefined }, () => {
  testActions('stock', {
    locale: 'ja-JP',
    colorScheme: 'light',
    asOwner: [
      ['boosts', runBoostActions],
      ['stock', runStockActions],
      ['imports', runImportActions],
      ['places', runPlaceActions],
      ['error pages', checkErrorPages],
    ],
    withoutScripts: [
      'a clerk creates a boost, receives units, adds a site and sells a unit',
      runClerkActions,
    ],
  });
});
