import { describe } from 'node:test';
import { runBoostActions } from '../../test/boost-actions.ts';
import { testActions } from '../../test/actions-in-chromium.ts';
import { CHROMIUM_PATH } from '../../test/chromium.ts';
import { runImportActions } from '../../test/import-actions.ts';
import { runClerkActions, checkErrorPages } from '../../test/clerk-actions-and-error-pages.ts';
import { runPlaceActions } from '../../test/place-actions.ts';
import { runStockActions } from '../../test/stock-actions.ts';

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
