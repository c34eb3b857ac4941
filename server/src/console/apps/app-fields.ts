import { html } from 'hono/html';
import type { NewApp } from '../../apps/app.ts';
import type { Scope } from '../../apps/scope.ts';
import { findEmailProblem, findNameProblem } from '../../base/plain-text.ts';
import { checkboxInput, singleInput, nullable, textInput } from '../parts/form/fields.ts';
import type { FieldsOf, FormField, Inputs } from '../parts/form/form-field.ts';
import { textAreaField, checkboxGroup, fieldId } from '../parts/field.ts';
import type { RequestContext } from '../request-context.ts';
import { findLineErrors, splitLines, REDIRECT_URIS_MAX } from './redirect-uri-lines.ts';
import { scopeDescription, scopeName, scopeNames, SCOPES_IN_ORDER } from '../parts/scope-text.ts';
import { appFormMessages } from './messages/form.ts';

/** The maximum length in code points, as in the database schema (0002_apps.sql). */
const NAME_MAX = 200;

/**
 * Returns the form fields of an app. With the `clientId` of an existing app, the check of redirect
 * URIs also warns if the change would remove the app's webhook.
 */
export function appFields(context: RequestContext, clientId: string | null): FieldsOf<NewApp> {
  const { language } = context;
  const messages = appFormMessages[language];
  return {
    name: textInput({
      label: messages.name,
      hint: messages.nameHint,
      accepts: (text) => findNameProblem(text) === null,
      invalidMessage: messages.badName,
      isRequired: true,
      maxLength: NAME_MAX,
      autocomplete: 'off',
    }),
    contactEmail: nullable(
      textInput({
        label: messages.email,
        hint: messages.emailHint,
        accepts: (text) => findEmailProblem('email', text) === null,
        invalidMessage: messages.emailFault,
        type: 'email',
        autocomplete: 'off',
      }),
    ),
    redirectUris: urisField(context, clientId),
    scopes: scopesField(context),
    sharesCost: costField(context),
  };
}

function scopesField({ language }: RequestContext): FormField<readonly Scope[]> {
  const messages = appFormMessages[language];
  const inputOf = (name: string, scope: Scope): string => `${name}.${scope}`;
  const tickedIn = (name: string, inputs: Inputs): readonly Scope[] =>
    SCOPES_IN_ORDER.filter((scope) => inputs.get(inputOf(name, scope)) === 'on');
  return {
    label: messages.scopes,
    hasTicks: true,
    names: (name) => [name, ...SCOPES_IN_ORDER.map((scope) => inputOf(name, scope))],
    show: (name, scopes) => Object.fromEntries(scopes.map((scope) => [inputOf(name, scope), 'on'])),
    read: (name, inputs, refuse) => {
      const scopes = tickedIn(name, inputs);
      if (!scopes.includes('inventory:read') && !scopes.includes('purchase-boosts:read')) {
        return refuse(name, messages.scopesFault);
      }
      const isNameless = scopes.includes('profile') && !scopes.includes('openid');
      return isNameless ? refuse(name, messages.profileFault) : scopes;
    },
    say: (name, inputs) => scopeNames(tickedIn(name, inputs), language),
    render: (name, { inputs, errorOf }) =>
      checkboxGroup({
        name,
        legend: messages.scopes,
        hint: messages.scopesHint,
        error: errorOf(name),
        choices: SCOPES_IN_ORDER.map((scope) => ({
          value: scope,
          label: scopeName(scope, language),
          hint: scopeDescription(scope, language),
        })),
        ticked: new Set(tickedIn(name, inputs)),
      }),
  };
}

function urisField(
  { language, shopPath }: RequestContext,
  clientId: string | null,
): FormField<readonly string[]> {
  const messages = appFormMessages[language];
  return singleInput({
    label: messages.uris,
    show: (uris) => uris.join('\n'),
    read: (text, refuse) => {
      const lines = splitLines(text);
      const errors = findLineErrors(lines, language);
      return errors.length === 0 ? lines : refuse(`${messages.urisFault} ${errors.join(' ')}`);
    },
    say: (text) => splitLines(text).join(' '),
    render: (state) =>
      html`${textAreaField({
          ...state,
          hint: messages.urisHint(REDIRECT_URIS_MAX),
          isRequired: true,
          rows: 4,
        })}
        <div
          class="checked"
          role="status"
          data-check="${shopPath('/apps/redirect-uris')}"
          data-field="${fieldId(state.name)}"
          data-client="${clientId ?? ''}"
          data-failed="${messages.checkFailed}"
        ></div>`,
  });
}

function costField({ language }: RequestContext): FormField<boolean> {
  const messages = appFormMessages[language];
  const field = checkboxInput(language, { label: messages.costLabel, hint: messages.costHint });
  return {
    ...field,
    label: messages.cost,
    render: async (name, shown) =>
      html`<fieldset class="field">
        <legend>${messages.cost}</legend>
        ${await field.render(name, shown)}
      </fieldset>`,
  };
}
