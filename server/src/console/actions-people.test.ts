import { describe } from 'node:test';
import { runAccountActions, changePassword } from '../../test/account-actions.ts';
import { testActions } from '../../test/actions-in-chromium.ts';
import { CHROMIUM_PATH } from '../../test/chromium.ts';
import { runMemberActions, invite } from '../../test/member-actions.ts';
import { runSettingsActions } from '../../test/settings-actions.ts';

describe(
  'actions of the console in Chromium: people',
  { skip: CHROMIUM_PATH === undefined },
  () => {
    testActions('people', {
      locale: 'en-GB',
      colorScheme: 'light',
      asOwner: [
        ['members', runMemberActions],
        ['settings', runSettingsActions],
        ['account', runAccountActions],
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
