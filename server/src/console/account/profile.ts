import { html } from 'hono/html';
import { languageCookie } from '../../html/language-cookie.ts';
import { setAccountLanguage } from '../../shops/account.ts';
import { renameAccount } from '../../shops/rename-account.ts';
import { listShopsOfAccount } from '../../shops/shop-list.ts';
import { type ConsoleResponse, redirectTo, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { submitButton } from '../parts/button.ts';
import { radioField, textField } from '../parts/field.ts';
import { descriptionList, errorOf, errorSummary } from '../parts/notes.ts';
import { summarizePermissions } from '../permission-text.ts';
import type { AccountRoutes } from '../section.ts';
import type { AccountContext } from '../request-context.ts';
import { accountTabs, tabName } from './tabs.ts';
import { profileMessages } from './messages.ts';

export function mountProfile(routes: AccountRoutes, { db, publicUrl }: ConsoleDeps): void {
  const isSecure = publicUrl.startsWith('https:');
  routes.page('/account', async (context) => await showProfile(db, context, null));

  routes.action('/account', async (context) => {
    const { account, now, actor, form } = context;
    const name = (form.get('name') ?? '').trim();
    const result = await db.transaction(
      async (tx) => await renameAccount(tx, account.id, name, now, actor),
    );
    if (result.kind === 'invalid') return await showProfile(db, context, name);
    return redirectTo('/console/account', result.kind === 'renamed' ? 'saved' : 'unchanged');
  });

  routes.action('/account/language', async ({ account, form }) => {
    const chosen = form.get('language');
    if (chosen === undefined) return redirectTo('/console/account', 'unchanged');
    const language = chosen === 'en' || chosen === 'ja' ? chosen : null;
    await setAccountLanguage(db, account.id, language);
    // The cookie lets the sign-in page use this language before the person has signed in.
    return redirectTo('/console/account', 'saved', [languageCookie(language, isSecure)]);
  });
}

/** Shows the profile page. `refused` is a typed name that was rejected, or null. */
async function showProfile(
  db: ConsoleDeps['db'],
  context: AccountContext,
  refused: string | null,
): Promise<ConsoleResponse> {
  const { language, account, formToken } = context;
  const messages = profileMessages[language];
  const shops = await listShopsOfAccount(db, account.id);
  const errors = refused === null ? [] : [{ field: 'name', text: messages.badName }];
  const content = html`${accountTabs(language, 'profile')}
    ${errorSummary(messages.nameNotChanged, errors)}
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
          error: errorOf(errors, 'name'),
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
      ${descriptionList([[messages.email, html`${account.email} <span class="hint below">${messages.emailHint}</span>`]])}
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
                      >${summarizePermissions(permissions, language)}</span
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
