import { describe } from 'node:test';
import { runAppActions, registerApp } from '../../test/app-actions.ts';
import { testActions } from '../../test/actions-in-chromium.ts';
import { CHROMIUM_PATH } from '../../test/chromium.ts';

describe('actions of the console in Chromium: apps', { skip: CHROMIUM_PATH === undefined }, () => {
  testActions('apps', {
    locale: 'en-GB',
    colorScheme: 'dark',
    asOwner: [['apps, connections and keys', runAppActions]],
    withoutScripts: [
      'an app is registered',
      async (person) => void (await registerApp(person, 'スクリプトなし')),
    ],
  });
});
