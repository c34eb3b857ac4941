import { html } from 'hono/html';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import { listPasskeys, type Passkey, removePasskeys } from '../../shops/passkey.ts';
import {
  beginPasskeyRegistration,
  finishPasskeyRegistration,
  type FinishPasskeyRegistrationResult,
} from '../../sign-in/passkey-registration.ts';
import type { RelyingParty } from '../../sign-in/relying-party.ts';
import { type ConsoleResponse, sendFile, redirectTo, NOT_FOUND, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { badge } from '../parts/badge.ts';
import { actionButton, submitButton } from '../parts/button.ts';
import { textField } from '../parts/field.ts';
import { emptyState, errorOf, errorSummary, type FormError, callout } from '../parts/notes.ts';
import { table } from '../parts/table.ts';
import type { AccountRoutes } from '../section.ts';
import type { AccountContext } from '../request-context.ts';
import { mountPasskeyPage } from './passkey-page.ts';
import { currentPasswordError } from './password.ts';
import { accountTabs, tabName } from './tabs.ts';
import { passkeysMessages } from './messages.ts';

type Refused = Exclude<FinishPasskeyRegistrationResult, { readonly kind: 'added' }>;

/** Mounts the pages that list and add a person's passkeys. */
export function mountPasskeys(routes: AccountRoutes, deps: ConsoleDeps): void {
  const { signIn, log } = deps;
  routes.page('/account/passkeys', async (context) => await showPasskeys(deps, context, null));

  routes.action('/account/passkeys', async (context) => {
    const { account, form, request } = context;
    const result = await finishPasskeyRegistration(signIn, account, {
      credential: form.get('credential') ?? '',
      name: (form.get('name') ?? '').trim(),
      password: form.get('password') ?? '',
      address: request.ip,
      userAgent: request.headers['user-agent'],
      // Finish adding the passkey even if the client disconnects.
      signal: new AbortController().signal,
    });
    if (result.kind === 'added') return redirectTo('/console/account/passkeys', 'passkey_added');
    if (result.kind === 'refused') {
      log.info({ requestId: request.id, error: result.cause }, 'a new passkey was rejected');
    }
    return await showPasskeys(deps, context, result);
  });

  routes.action('/account/passkeys/remove-all', async ({ account, now, actor }) => {
    const removed = await deps.db.transaction(
      async (tx) => await removePasskeys(tx, account.id, now, actor),
    );
    return redirectTo(
      '/console/account/passkeys',
      removed === 0 ? 'unchanged' : 'passkeys_removed',
    );
  });

  // A script requests the options when the button is pressed, so that viewing the page creates no
  // WebAuthn challenge.
  routes.action('/account/passkeys/options', async ({ account }) => {
    const begun = await beginPasskeyRegistration(signIn, account);
    if (begun.kind !== 'begun') return NOT_FOUND;
    const json = JSON.stringify(begun.options);
    return sendFile('options.json', 'application/json; charset=utf-8', json);
  });

  mountPasskeyPage(routes, deps);
}

async function showPasskeys(
  { db, signIn }: ConsoleDeps,
  context: AccountContext,
  refused: Refused | null,
): Promise<ConsoleResponse> {
  const { language, account } = context;
  const messages = passkeysMessages[language];
  const passkeys = await listPasskeys(db, account.id);
  const { relyingParty } = signIn;
  const errors =
    refused === null || refused.kind === 'ip_address' ? [] : [formErrorFor(refused, language)];
  const content = html`${accountTabs(language, 'passkeys')}
    ${errorSummary(messages.notAdded, errors)}
    <section class="sheet">
      <p>${messages.intro}</p>
      ${renderPasskeys(context, passkeys)}
    </section>
    <section class="sheet">
      <h2>${messages.add}</h2>
      ${renderAddForm(context, relyingParty, errors)}
    </section>
    ${passkeys.length === 0 ? '' : renderRemoval(context)}`;
  return showPage({
    title: tabName(language, 'passkeys'),
    section: null,
    status: refused === null ? 200 : 422,
    scripts: relyingParty.kind === 'host' ? ['passkey'] : [],
    content,
  });
}

function renderRemoval(context: AccountContext): Markup {
  const messages = passkeysMessages[context.language];
  return html`<section class="sheet">
    <h2>${messages.removeAll}</h2>
    <p>${messages.removeAllText}</p>
    ${actionButton(context, {
      action: '/console/account/passkeys/remove-all',
      label: messages.removeAllButton,
      kind: 'danger',
    })}
  </section>`;
}

function renderPasskeys(
  { language, format }: AccountContext,
  passkeys: readonly Passkey[],
): Markup | '' {
  const messages = passkeysMessages[language];
  return table({
    caption: messages.caption,
    rows: passkeys,
    columns: [
      [
        messages.name,
        ({ id, name }) => html`<a href="/console/account/passkeys/${id}">${name}</a>`,
      ],
      [messages.kind, ({ isSynced }) => badge(isSynced ? messages.synced : messages.device)],
      [messages.created, ({ createdAt }) => format.date(createdAt)],
      [
        messages.lastUsed,
        ({ lastUsedAt }) =>
          lastUsedAt === null
            ? html`<span class="soft">${messages.never}</span>`
            : format.ago(lastUsedAt),
      ],
    ],
    empty: emptyState(messages.none, messages.noneText),
  });
}

function renderAddForm(
  { account, language, form, formToken }: AccountContext,
  relyingParty: RelyingParty,
  errors: readonly FormError[],
): Markup {
  const messages = passkeysMessages[language];
  if (relyingParty.kind === 'ip_address') {
    const { host, instead } = relyingParty;
    return callout(
      'warn',
      html`<p>${messages.ipAddress(host)}</p>
        ${instead === null ? '' : html`<p>${messages.instead} <code>${instead}</code></p>`}`,
    );
  }
  return html`<p>${messages.needed}</p>
    <form
      class="stack"
      method="post"
      action="/console/account/passkeys"
      data-passkey="create"
      data-options="/console/account/passkeys/options"
      hidden
    >
      ${formToken}
      ${textField({
        name: 'name',
        label: messages.name,
        hint: messages.nameHint,
        value: form.get('name') ?? messages.suggestion,
        maxLength: 100,
        isRequired: true,
        autocomplete: 'off',
        error: errorOf(errors, 'name'),
      })}
      <input
        type="text"
        name="username"
        value="${account.email}"
        autocomplete="username"
        hidden
        readonly
      />
      ${textField({
        name: 'password',
        label: messages.password,
        hint: messages.passwordHint,
        type: 'password',
        autocomplete: 'current-password',
        maxLength: 1024,
        isRequired: true,
        error: errorOf(errors, 'password'),
      })}
      <input type="hidden" name="credential" value="" />
      <p class="fault" role="alert" hidden data-passkey-fault>${messages.nothingCame}</p>
      <div class="actions">${submitButton(messages.addButton)}</div>
    </form>`;
}

function formErrorFor(
  refused: Exclude<Refused, { kind: 'ip_address' }>,
  language: Language,
): FormError {
  const messages = passkeysMessages[language];
  if (refused.kind === 'not_confirmed') {
    return currentPasswordError(refused.refusal, language, 'password');
  }
  const field = refused.kind === 'invalid_name' ? 'name' : null;
  return { field, text: messages.refusals[refused.kind] };
}
