import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertSays } from '../../../test/console-pages.ts';
import { mailsTo } from '../../../test/mails.ts';
import { formTo } from '../../../test/plain-browser.ts';
import { seedShop, startTestService } from '../../../test/service.ts';
import { openSignedIn } from '../../../test/signed-in-browser.ts';
import { openTestDatabase } from '../../../test/test-database.ts';
import { statement } from '../../database/statement.ts';
import { flashText } from '../flash.ts';
import { invitationMailMessages } from '../members/messages.ts';

const setNames = statement(
  'test_set_names',
  `with renamed as (update account set name = $4 where account_id = $2)
   update shop set name = $3 where shop_id = $1`,
);

it('the names in an invitation are no links, and the subject begins with our words', async () => {
  await using base = await openTestDatabase();
  await using service = await startTestService(base);
  const { shop, member } = await seedShop(base);
  const { id } = member.account;
  // Names from before names were checked.
  await base.db.query(setNames, [shop.id, id, 'a\u2028www.evil.example', 'x\u202ehttp://evil']);
  const owner = await openSignedIn(service, base.db, id);
  for (const language of ['en', 'ja'] as const) {
    const email = `${language}@new.example`;
    const url = `${service.publicUrl}/console/shops/${shop.slug}/members/invite`;
    const form = await owner.visit(url);
    const sent = await owner.submit(form, formTo(form, '/members/invite'), { email, language });
    assertSays(sent, flashText('invited_by_link', 'en'));
    const [mail = ''] = mailsTo(email);
    const intro = invitationMailMessages[language].intro('x http: / /evil', 'a www. evil. example');
    assert.ok(mail.includes(intro), mail);
    assert.match(invitationMailMessages[language].subject('S'), /^Cardport[:：]/);
  }
});
