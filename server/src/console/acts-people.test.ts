import { actOnAccount, changePassword } from '../../test/act-account.ts';
import { describeActs } from '../../test/act-in-chromium.ts';
import { actOnMembers, invite } from '../../test/act-members.ts';

describeActs('people', {
  locale: 'en-GB',
  colorScheme: 'light',
  asOwner: [
    ['members', actOnMembers],
    ['account', actOnAccount],
  ],
  withoutScripts: [
    'somebody is invited, and a password changed',
    async (person) => {
      await invite(person, 'plain@person.example');
      await changePassword(person, 'another password of words', 'a third password of words');
    },
  ],
});
