import { actOnApps, registerApp } from '../../test/act-apps.ts';
import { describeActs } from '../../test/act-in-chromium.ts';

describeActs('apps', {
  locale: 'en-GB',
  colorScheme: 'dark',
  asOwner: [['apps, connections and keys', actOnApps]],
  withoutScripts: [
    'an app is registered',
    async (person) => void (await registerApp(person, 'スクリプトなし')),
  ],
});
