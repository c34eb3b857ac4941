import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import { listPasskeys } from '../../shops/passkey.ts';
import type { ChangePasswordResult, SignInRefusal } from '../../signin/sign-in.ts';
import { type ConsoleAnswer, goTo, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { submitButton } from '../parts/button.ts';
import { textField } from '../parts/field.ts';
import { newPasswordFields, newPasswordFault, readNewPassword } from '../parts/new-password.ts';
import { faultOf, faultSummary, type FormFault } from '../parts/notes.ts';
import type { AccountRoutes } from '../section.ts';
import type { Visitor } from '../visit.ts';
import { ownSessionId } from './sessions.ts';
import { accountTabs, tabName } from './tabs.ts';
import { passwordMessages } from './messages.ts';

export function mountPassword(routes: AccountRoutes, deps: ConsoleDeps): void {
  routes.page('/account/password', async (visitor) => showForm(visitor, []));

  routes.action('/account/password', async (visitor) => {
    const { account, form, language, request } = visitor;
    const typed = await readNewPassword(form, account);
    if (typed.kind !== 'password') {
      return showForm(visitor, [newPasswordFault(typed.kind, language)]);
    }
    const result = await deps.signIn.signIn.changePassword({
      account,
      oldPassword: form.get('old') ?? '',
      newPassword: typed.password,
      address: request.ip,
      userAgent: request.headers['user-agent'],
      device: deps.signIn.devices.read(request.headers.cookie),
      sessionId: await ownSessionId(deps.db, visitor),
      // Finish the change even if the client disconnects.
      signal: new AbortController().signal,
    });
    if (result.kind === 'changed') {
      // Passkeys still open the account. If there are any, ask on their page whether they should.
      const cookies = [result.deviceCookie];
      const passkeys = await listPasskeys(deps.db, account.id);
      return passkeys.length === 0
        ? goTo('/console/account/sessions', 'password_changed', cookies)
        : goTo('/console/account/passkeys', 'password_changed_not_passkeys', cookies);
    }
    return showForm(visitor, [faultFor(result, language)]);
  });
}

function faultFor(
  result: Exclude<ChangePasswordResult, { readonly kind: 'changed' }>,
  language: Language,
): FormFault {
  switch (result.kind) {
    case 'too_short':
    case 'too_long':
    case 'common':
    case 'personal':
      return newPasswordFault(result.kind, language);
    case 'refused':
    case 'throttled':
    case 'busy':
      return confirmFault(result, language, 'old');
  }
}

/** The form fault when the current password in `field` was wrong or could not be checked. */
export function confirmFault(refusal: SignInRefusal, language: Language, field: string): FormFault {
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

/** Passwords are never sent back: the person types all three again. */
function showForm(
  { language, account, formToken }: Visitor,
  faults: readonly FormFault[],
): ConsoleAnswer {
  const messages = passwordMessages[language];
  const content = html`${accountTabs(language, 'password')}
    ${faultSummary(messages.notSaved, faults)}
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
          fault: faultOf(faults, 'old'),
        })}
        ${newPasswordFields(language, faults)}
        <div class="actions">${submitButton(messages.save)}</div>
      </form>
    </div>`;
  return showPage({
    title: tabName(language, 'password'),
    section: null,
    status: faults.length === 0 ? 200 : 422,
    content,
  });
}
