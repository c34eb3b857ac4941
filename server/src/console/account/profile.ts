import { html } from 'hono/html';
import { languageCookie } from '../../pages/language-cookie.ts';
import { setAccountLanguage } from '../../shops/account.ts';
import { renameAccount } from '../../shops/rename-account.ts';
import { listShopsOfAccount } from '../../shops/shop-list.ts';
import { type ConsoleAnswer, goTo, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { submitButton } from '../parts/button.ts';
import { radioField, textField } from '../parts/field.ts';
import { facts, faultOf, faultSummary } from '../parts/notes.ts';
import { permissionsInWords } from '../permission-words.ts';
import type { AccountRoutes } from '../section.ts';
import type { Visitor } from '../visit.ts';
import { accountTabs, tabName } from './tabs.ts';
import { profileMessages } from './messages.ts';

export function mountProfile(routes: AccountRoutes, { db, publicUrl }: ConsoleDeps): void {
  const isSecure = publicUrl.startsWith('https:');
  routes.page('/account', async (visitor) => await showProfile(db, visitor, null));

  routes.action('/account', async (visitor) => {
    const { account, now, actor, form } = visitor;
    const name = (form.get('name') ?? '').trim();
    const result = await db.transaction(
      async (tx) => await renameAccount(tx, account.id, name, now, actor),
    );
    if (result.kind === 'invalid') return await showProfile(db, visitor, name);
    return goTo('/console/account', result.kind === 'renamed' ? 'saved' : 'unchanged');
  });

  routes.action('/account/language', async ({ account, form }) => {
    const chosen = form.get('language');
    const language = chosen === 'en' || chosen === 'ja' ? chosen : null;
    await setAccountLanguage(db, account.id, language);
    // The sign-in page, which does not know the person yet, uses this language too.
    return goTo('/console/account', 'saved', [languageCookie(language, isSecure)]);
  });
}

/** `refused`: the name that was typed and rejected. */
async function showProfile(
  db: ConsoleDeps['db'],
  visitor: Visitor,
  refused: string | null,
): Promise<ConsoleAnswer> {
  const { language, account, formToken } = visitor;
  const messages = profileMessages[language];
  const shops = await listShopsOfAccount(db, account.id);
  const faults = refused === null ? [] : [{ field: 'name', text: messages.badName }];
  const content = html`${accountTabs(language, 'profile')}
    ${faultSummary(messages.nameNotChanged, faults)}
    <section class="sheet">
      <form class="stack" method="post" action="/console/account">
        ${formToken}
        ${textField({
          name: 'name',
          label: messages.name,
          hint: messages.nameHint,
          value: refused ?? account.name,
          autocomplete: 'name',
          maxLength: 200,
          isRequired: true,
          fault: faultOf(faults, 'name'),
        })}
        <div class="actions">${submitButton(messages.save)}</div>
      </form>
    </section>
    <section class="sheet">
      <form class="stack" method="post" action="/console/account/language">
        ${formToken}
        ${radioField({
          name: 'language',
          label: messages.language,
          hint: messages.languageHint,
          value: account.language ?? '',
          choices: [
            { value: '', label: messages.browser },
            { value: 'ja', label: '日本語' },
            { value: 'en', label: 'English' },
          ],
        })}
        <div class="actions">${submitButton(messages.saveLanguage, 'second')}</div>
      </form>
    </section>
    <section class="sheet">
      ${facts([[messages.email, html`${account.email} <span class="hint below">${messages.emailHint}</span>`]])}
    </section>
    <section class="sheet">
      <h2>${messages.shops}</h2>
      ${
        shops.length === 0
          ? html`<p>${messages.noShops}</p>`
          : html`<ul>
              ${shops.map(
                ({ slug, name, permissions }) =>
                  html`<li>
                    <a href="/console/shops/${slug}">${name}</a>
                    <span class="soft small below"
                      >${permissionsInWords(permissions, language)}</span
                    >
                  </li>`,
              )}
            </ul>`
      }
    </section>`;
  return showPage({
    title: tabName(language, 'profile'),
    section: null,
    status: refused === null ? 200 : 422,
    content,
  });
}
