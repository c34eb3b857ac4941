import { html } from 'hono/html';
import type { App, NewApp } from '../../apps/app.ts';
import { isScope, type Scope } from '../../apps/scope.ts';
import { findEmailFault, findTextFault } from '../../base/plain-text.ts';
import { hashSecret } from '../../base/secrets.ts';
import type { Language } from '../../pages/language.ts';
import type { MessagesOf } from '../../pages/messages.ts';
import type { Markup } from '../../pages/page.ts';
import { submitButton } from '../parts/button.ts';
import { areaField, boxesField, boxField, fieldId, textField } from '../parts/field.ts';
import { type FormFault, faultOf, faultSummary } from '../parts/notes.ts';
import { scopeMeaning, scopeName, SCOPES_IN_ORDER } from '../parts/scope-words.ts';
import type { Visit } from '../visit.ts';
import { faultsOfLines, linesOf, REDIRECT_URIS_MAX } from './redirect-uri-words.ts';
import { appFormMessages } from './messages/form.ts';

/** Bound of the schema (0002_apps.sql), in code points. */
const NAME_MAX = 200;

/** What stands in the form, as it was typed. */
export interface AppFormValues {
  readonly name: string;
  readonly contactEmail: string;
  readonly redirectUris: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly sharesCost: boolean;
}

/** What a new app's form begins with: it stays connected, all else is for the member to say. */
export const NEW_APP_VALUES: AppFormValues = {
  name: '',
  contactEmail: '',
  redirectUris: '',
  scopes: new Set<Scope>(['offline_access']),
  sharesCost: false,
};

/** What the form of an app that is there begins with. */
export function valuesOf(app: App): AppFormValues {
  return {
    name: app.name,
    contactEmail: app.contactEmail ?? '',
    redirectUris: app.redirectUris.join('\n'),
    scopes: new Set(app.scopes),
    sharesCost: app.sharesCost,
  };
}

/** Stands for an app as a form shows it: another change of it (a secret, enabled or not) is no reason to ask again. */
export function markOf({ name, contactEmail, redirectUris, scopes, sharesCost }: App): string {
  const shown = [name, contactEmail, redirectUris, scopes.toSorted(), sharesCost];
  return hashSecret(JSON.stringify(shown)).slice(0, 22);
}

/** What was posted. */
export function readAppForm({ form }: Visit): AppFormValues {
  const ticked = [...form.keys()].flatMap((field) =>
    field.startsWith('scopes.') ? [field.slice('scopes.'.length)] : [],
  );
  return {
    name: form.get('name') ?? '',
    contactEmail: form.get('contact_email') ?? '',
    redirectUris: form.get('redirect_uris') ?? '',
    scopes: new Set(ticked.filter(isScope)),
    sharesCost: form.has('shares_cost'),
  };
}

/** The app that was typed, or why it is none: by the rules of the domain, in the member's language. */
export function judgeAppForm(
  values: AppFormValues,
  language: Language,
): { readonly app: NewApp; readonly faults: readonly FormFault[] } {
  const messages = appFormMessages[language];
  const { scopes, sharesCost } = values;
  const name = values.name.trim();
  const email = values.contactEmail.trim();
  const redirectUris = linesOf(values.redirectUris);
  const faults: FormFault[] = [];
  if (findTextFault('name', name, NAME_MAX) !== null) {
    faults.push({ field: 'name', text: messages.nameFault(NAME_MAX) });
  }
  if (email !== '' && findEmailFault('e-mail', email) !== null) {
    faults.push({ field: 'contact_email', text: messages.emailFault });
  }
  const uriFaults = faultsOfLines(redirectUris, language);
  if (uriFaults.length > 0) {
    faults.push({ field: 'redirect_uris', text: `${messages.urisFault} ${uriFaults.join(' ')}` });
  }
  if (!scopes.has('inventory:read') && !scopes.has('purchase-boosts:read')) {
    faults.push({ field: 'scopes', text: messages.scopesFault });
  } else if (scopes.has('profile') && !scopes.has('openid')) {
    faults.push({ field: 'scopes', text: messages.profileFault });
  }
  const contactEmail = email === '' ? null : email;
  return { app: { name, contactEmail, redirectUris, scopes: [...scopes], sharesCost }, faults };
}

/** The form of an app, new or changed. `warning` stands above its button. */
export function renderAppForm(
  visit: Visit,
  options: {
    readonly action: string;
    readonly values: AppFormValues;
    readonly faults: readonly FormFault[];
    readonly submit: string;
    /** Of an app that is there: its webhook may be lost. */
    readonly clientId: string | null;
    /** The mark of the app that is shown; missing for a new one. */
    readonly seen?: string;
    readonly warning?: Markup;
  },
): Markup {
  const { action, values, faults, submit, clientId, seen, warning } = options;
  const { language, formToken } = visit;
  const messages = appFormMessages[language];
  return html`${faultSummary(messages.refused, faults)}
    <form method="post" action="${action}" class="sheet">
      ${formToken}
      ${seen === undefined ? '' : html`<input type="hidden" name="seen" value="${seen}" />`}
      ${textField({
        name: 'name',
        label: messages.name,
        hint: messages.nameHint,
        value: values.name,
        fault: faultOf(faults, 'name'),
        isRequired: true,
        maxLength: NAME_MAX,
        autocomplete: 'off',
      })}
      ${textField({
        name: 'contact_email',
        label: messages.email,
        hint: messages.emailHint,
        value: values.contactEmail,
        fault: faultOf(faults, 'contact_email'),
        type: 'email',
        autocomplete: 'off',
      })}
      ${areaField({
        name: 'redirect_uris',
        label: messages.uris,
        hint: messages.urisHint(REDIRECT_URIS_MAX),
        value: values.redirectUris,
        fault: faultOf(faults, 'redirect_uris'),
        isRequired: true,
        rows: 4,
      })}
      <div
        class="checked"
        role="status"
        data-check="${visit.path('/apps/redirect-uris')}"
        data-field="${fieldId('redirect_uris')}"
        data-client="${clientId ?? ''}"
        data-failed="${messages.checkFailed}"
      ></div>
      ${renderScopes(messages, language, values.scopes, faultOf(faults, 'scopes'))}
      <fieldset class="field">
        <legend>${messages.cost}</legend>
        ${boxField({
          name: 'shares_cost',
          label: messages.costLabel,
          hint: messages.costHint,
          isTicked: values.sharesCost,
        })}
      </fieldset>
      ${warning ?? ''}
      <div class="actions">${submitButton(submit)}</div>
    </form>`;
}

function renderScopes(
  messages: MessagesOf<typeof appFormMessages>,
  language: Language,
  ticked: ReadonlySet<Scope>,
  fault: string | null,
): Markup {
  return boxesField({
    name: 'scopes',
    legend: messages.scopes,
    hint: messages.scopesHint,
    fault,
    choices: SCOPES_IN_ORDER.map((scope) => ({
      value: scope,
      label: scopeName(scope, language),
      hint: scopeMeaning(scope, language),
    })),
    ticked,
  });
}
