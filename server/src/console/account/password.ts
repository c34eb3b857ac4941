import { html } from 'hono/html';
import type { Language } from '../../html/language.ts';
import { listPasskeys } from '../../shops/passkey.ts';
import type { ChangePasswordResult, SignInRefusal } from '../../sign-in/sign-in.ts';
import { type ConsoleResponse, redirectTo, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { submitButton } from '../parts/button.ts';
import { textField } from '../parts/field.ts';
import { newPasswordFields, newPasswordError, readNewPassword } from '../parts/new-password.ts';
import { errorOf, errorSummary, type FormError } from '../parts/notes.ts';
import type { AccountRoutes } from '../section.ts';
import type { AccountContext } from '../request-context.ts';
import { currentSessionId } from './sessions.ts';
import { accountTabs, tabName } from './tabs.ts';
import { passwordMessages } from './messages.ts';

export function mountPassword(routes: AccountRoutes, deps: ConsoleDeps): void {
  routes.page('/account/password', async (context) => showForm(context, []));

  routes.action('/account/password', async (context) => {
    const { account, form, language, request } = context;
    const typed = await readNewPassword(form, account);
    if (typed.kind !== 'password') {
      return showForm(context, [newPasswordError(typed.kind, language)]);
    }
    const result = await deps.signIn.signIn.changePassword({
      account,
      oldPassword: form.get('old') ?? '',
      newPassword: typed.password,
      address: request.ip,
      userAgent: request.headers['user-agent'],
      device: deps.signIn.devices.read(request.headers.cookie),
      sessionId: await currentSessionId(deps.db, context),
      // Finish the change even if the client disconnects.
      signal: new AbortController().signal,
    });
    if (result.kind === 'changed') {
      // A password change leaves passkeys valid, so a person with passkeys is sent to the page that
      // lists them.
      const cookies = [result.deviceCookie];
      const passkeys = await listPasskeys(deps.db, account.id);
      return passkeys.length === 0
        ? redirectTo('/console/account/sessions', 'password_changed', cookies)
        : redirectTo('/console/account/passkeys', 'password_changed_not_passkeys', cookies);
    }
    return showForm(context, [formErrorFor(result, language)]);
  });
}

function formErrorFor(
  result: Exclude<ChangePasswordResult, { readonly kind: 'changed' }>,
  language: Language,
): FormError {
  switch (result.kind) {
    case 'too_short':
    case 'too_long':
    case 'common':
    case 'personal':
      return newPasswordError(result.kind, language);
    case 'refused':
    case 'throttled':
    case 'busy':
      return currentPasswordError(result, language, 'old');
  }
}

/**
 * Returns the form error for a current password in `field` that was wrong or could not be checked.
 */
export function currentPasswordError(
  refusal: SignInRefusal,
  language: Language,
  field: string,
): FormError {
  const messages = passwordMessages[language];
  switch (refusal.kind) {
    case 'refused':
      return { field, text: messages.refused };
    case 'throttled':
      return { field: null, text: messages.throttled(refusal.retryAfterSeconds) };
    case 'busy':
      return { field: null, text: messages.signInBusy };
  }
}

/** The inputs are empty even after an error: the server never sends a password back. */
function showForm(
  { language, account, formToken }: AccountContext,
  errors: readonly FormError[],
): ConsoleResponse {
  const messages = passwordMessages[language];
  const content = html`${accountTabs(language, 'password')}
    ${errorSummary(messages.notSaved, errors)}
    <div class="sheet">
      <p>${messages.intro}</p>
      <form class="stack" method="post" action="/console/account/password">
        ${formToken}
        <input
          type="text"
          name="username"
          value="${account.email}"
          autocomplete="username"
          hidden
        />
        ${textField({
          name: 'old',
          label: messages.old,
          type: 'password',
          autocomplete: 'current-password',
          maxLength: 1024,
          isRequired: true,
          error: errorOf(errors, 'old'),
        })}
        ${newPasswordFields(language, errors)}
        <div class="actions">${submitButton(messages.save)}</div>
      </form>
    </div>`;
  return showPage({
    title: tabName(language, 'password'),
    section: null,
    status: errors.length === 0 ? 200 : 422,
    content,
  });
}
