import { html } from 'hono/html';
import type { App } from '../apps/app.ts';
import type { Scope } from '../apps/scope.ts';
import { FORM_TOKEN_FIELD } from '../html/form-guard.ts';
import type { Language } from '../html/language.ts';
import { type Markup, type Page, renderPage } from '../html/page.ts';
import type { Account } from '../shops/account.ts';
import type { Member } from '../shops/member.ts';
import { renderHelpLink } from './help-link.ts';
import { consentMessages, consentScopeMessages } from './messages.ts';

export interface ConsentPageOptions {
  readonly language: Language;
  readonly app: App;
  readonly shopName: string;
  readonly account: Account;
  /** Undefined if the account is not an active member of this shop. */
  readonly member: Member | undefined;
  /** The people whom a member without `integrations.approve` can ask, otherwise null. */
  readonly managers: readonly string[] | null;
  readonly scopes: readonly Scope[];
  /** The redirect URI of the app, to which the browser goes after the decision. */
  readonly redirectUri: string;
  readonly action: string;
  readonly formToken: string;
}

/** The page of spec 5.3, step 3. An account that may not approve sees why, and can only deny. */
export async function renderConsentPage(options: ConsentPageOptions): Promise<Page> {
  const { language, app, shopName, account, member, managers, redirectUri } = options;
  const messages = consentMessages[language];
  const facts = html`<dl>
    <dt>${messages.app}</dt>
    <dd>${app.name}</dd>
    <dt>${messages.shop}</dt>
    <dd>${shopName}</dd>
    <dt>${messages.you}</dt>
    <dd>${account.name} (${account.email})</dd>
    <dt>${messages.returnsTo}</dt>
    <dd>${new URL(redirectUri).origin}</dd>
  </dl>`;
  const mayApprove = member !== undefined && managers === null;
  const body = mayApprove
    ? html`${messages.intro(app.name, shopName)}${facts}${renderScopes(options, member)}`
    : html`${member === undefined ? messages.refused(shopName) : messages.noPermission(shopName)}
      ${managers === null ? '' : html`<p>${messages.whomToAsk(managers.join(messages.and))}</p>`}
      ${renderHelpLink(language)}${facts}`;
  return await renderPage({
    status: mayApprove ? 200 : 403,
    language,
    title: mayApprove ? messages.title(app.name) : messages.refusedTitle,
    content: html`${body}${renderForms(options, mayApprove)}`,
    formTarget: redirectUri,
  });
}

function renderScopes({ language, app, scopes }: ConsentPageOptions, member: Member): Markup {
  const messages = consentMessages[language];
  const seesCost =
    app.sharesCost &&
    scopes.includes('inventory:read') &&
    member.permissions.includes('inventory.cost');
  const lacksPurchases =
    scopes.includes('purchase-boosts:read') && !member.permissions.includes('purchases.read');
  return html`<h2 id="asks">${messages.asks}</h2>
    <ul aria-labelledby="asks">
      ${scopes.map((scope) => html`<li>${consentScopeMessages[language][scope]} <span class="soft">(<code>${scope}</code>)</span></li>`)}
      ${seesCost ? html`<li>${messages.cost}</li>` : ''}
    </ul>
    ${lacksPurchases ? html`<p class="notice" role="note">${messages.noPurchases}</p>` : ''}
    <p class="soft">${messages.identity} ${messages.end}</p>`;
}

function renderForms(options: ConsentPageOptions, mayApprove: boolean): Markup {
  const messages = consentMessages[options.language];
  const token = html`<input
    type="hidden"
    name="${FORM_TOKEN_FIELD}"
    value="${options.formToken}"
  />`;
  return html`<form method="post" action="${options.action}">
      ${token}
      <input type="hidden" name="account" value="${options.account.id}" />
      <div class="actions">
        ${mayApprove ? html`<button class="first" type="submit" name="decision" value="allow">${messages.allow}</button>` : ''}
        <button type="submit" name="decision" value="deny">${messages.deny}</button>
      </div>
    </form>
    <form method="post" action="${options.action}/switch">
      ${token}
      <p><button class="link" type="submit">${messages.switchAccount}</button></p>
    </form>`;
}
