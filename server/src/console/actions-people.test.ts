import { describe } from 'node:test';
import { actOnAccount, changePassword } from '../../test/act-account.ts';
import { testActions } from '../../test/act-in-chromium.ts';
import { CHROMIUM_PATH } from '../../test/chromium.ts';
import { actOnMembers, invite } from '../../test/act-members.ts';
import { actOnSettings } from '../../test/act-settings.ts';

describe(
  'actions of the console in Chromium: people',
  { skip: CHROMIUM_PATH === undefined },
  () => {
    testActions('people', {
      locale: 'en-GB',
      colorScheme: 'light',
      asOwner: [
        ['members', actOnMembers],
        ['settings', actOnSettings],
        ['account', actOnAccount],
      ],
      withoutScripts: [
        'a person is invited, and a password is changed',
        async (person) => {
          await invite(person, 'plain@person.example');
          await changePassword(person, 'another password of words', 'a third password of words');
        },
      ],
    });
  },
);
