import { html } from 'hono/html';
import type { Queryable } from '../../database/database.ts';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import { type Invitation, listInvitations, withdrawInvitation } from '../../shops/invitation.ts';
import { inviteMember, type InviteMemberResult } from '../../shops/invite-member.ts';
import type { Permission } from '../../shops/permission.ts';
import { type ConsoleResponse, redirectTo, NOT_FOUND, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { submitButton } from '../parts/button.ts';
import { selectField, textField } from '../parts/field.ts';
import { errorOf, errorSummary, type FormError } from '../parts/notes.ts';
import { parseUuid } from '../query.ts';
import type { RequestContext } from '../request-context.ts';
import {
  notAllowed,
  missingPermissionsText,
  permissionCheckboxes,
  readPermissionCheckboxes,
} from './permission-boxes.ts';
import { permissionsOfPreset, presetName, presetOf, PRESETS } from './preset.ts';
import { sendInvitation } from './send-invitation.ts';
import { inviteMessages } from './messages.ts';

type Refused = Exclude<InviteMemberResult, { readonly kind: 'invited' | 'not_allowed' }>;

/** The languages of an invitation, each named in that language. */
const LANGUAGES = [
  { value: 'ja', label: '日本語' },
  { value: 'en', label: 'English' },
] as const;

interface InviteForm {
  readonly email: string;
  readonly language: Language;
  readonly permissions: readonly Permission[];
  /** The chosen preset, or null if the boxes come from a submitted form. */
  readonly preset: string | null;
}

export async function showInvite(
  _deps: ConsoleDeps,
  context: RequestContext,
): Promise<ConsoleResponse> {
  return showPreset(context, context.query['preset'], { email: '', language: context.language });
}

function showPreset(
  context: RequestContext,
  name: string | undefined,
  typed: Pick<InviteForm, 'email' | 'language'>,
): ConsoleResponse {
  const preset = presetOf(name);
  const permissions = permissionsOfPreset(preset).filter((each) => context.can(each));
  return showForm(context, { ...typed, permissions, preset }, null);
}

export async function invite(deps: ConsoleDeps, context: RequestContext): Promise<ConsoleResponse> {
  const { form } = context;
  const email = (form.get('email') ?? '').trim();
  const language = form.get('language') === 'ja' ? 'ja' : 'en';
  const preset = form.get('preset');
  if (preset !== undefined) return showPreset(context, preset, { email, language });
  return await createInvitation(deps, context, {
    email,
    language,
    permissions: readPermissionCheckboxes(form),
    preset: null,
  });
}

export async function withdrawInvitationAction(
  deps: ConsoleDeps,
  { shop, now, actor, shopPath }: RequestContext,
  invitation: Invitation,
): Promise<ConsoleResponse> {
  const result = await deps.write(
    shop.id,
    async (tx) => await withdrawInvitation(tx, shop.id, invitation, now, actor),
  );
  if (result.kind === 'not_found') return NOT_FOUND;
  if (result.kind !== 'withdrawn') {
    throw notAllowed('missing' in result ? result.missing : undefined);
  }
  return redirectTo(shopPath('/members'), 'invitation_withdrawn');
}

export async function resendInvitation(
  deps: ConsoleDeps,
  context: RequestContext,
  { email, language, permissions }: Invitation,
): Promise<ConsoleResponse> {
  return await createInvitation(deps, context, { email, language, permissions, preset: null });
}

export async function findInvitationByPath(
  db: Queryable,
  { shop, params, now }: RequestContext,
): Promise<Invitation | undefined> {
  return (await listInvitations(db, shop.id, now)).find(({ id }) => id === parseUuid(params['id']));
}

async function createInvitation(
  deps: ConsoleDeps,
  context: RequestContext,
  values: InviteForm,
): Promise<ConsoleResponse> {
  const { shop, now, actor } = context;
  const invitation = { ...values, provesAddress: deps.mail.kind === 'server' };
  const result = await deps.write(
    shop.id,
    async (tx) => await inviteMember(tx, shop.id, invitation, now, actor),
  );
  if (result.kind === 'not_allowed') throw notAllowed();
  if (result.kind !== 'invited') return showForm(context, values, result);
  return await sendInvitation(context, deps, { ...invitation, ...result });
}

function showForm(
  context: RequestContext,
  values: InviteForm,
  refused: Refused | null,
): ConsoleResponse {
  const { language } = context;
  const messages = inviteMessages[language];
  const errors = refused === null ? [] : [formErrorFor(refused, language)];
  const content = html`${errorSummary(messages.notSent, errors)}
    <div class="sheet">
      <p>${messages.intro}</p>
      <form class="stack" method="post" action="${context.shopPath('/members/invite')}">
        ${context.formToken} ${renderPresets(language, values.preset)}
        ${textField({
          name: 'email',
          label: messages.email,
          type: 'email',
          value: values.email,
          maxLength: 254,
          autocomplete: 'off',
          isRequired: true,
          error: errorOf(errors, 'email'),
        })}
        ${selectField({
          name: 'language',
          label: messages.language,
          hint: messages.languageHint,
          value: values.language,
          choices: LANGUAGES,
        })}
        ${permissionCheckboxes(
          language,
          values.permissions.filter((each) => context.can(each)),
          context.permissions,
        )}
        <div class="actions">${submitButton(messages.send)}</div>
      </form>
    </div>`;
  return showPage({
    title: messages.title,
    section: 'members',
    back: { href: context.shopPath('/members'), label: messages.members },
    status: refused === null ? 200 : refused.kind === 'not_held' ? 403 : 422,
    content,
  });
}

/**
 * Renders the presets as buttons of the form, so that the typed address is kept. The hidden button
 * is the form's default, so that Enter sends the invitation (HTML §4.10.21.2).
 */
function renderPresets(language: Language, current: string | null): Markup {
  return html`<button type="submit" hidden></button>
    <p class="soft small" id="presets">${inviteMessages[language].presets}</p>
    <ul class="tabs" aria-labelledby="presets">
      ${PRESETS.map(
        (preset) =>
          html`<li>
            <button
              type="submit"
              name="preset"
              value="${preset}"
              formnovalidate
              ${preset === current ? html`aria-current="true"` : ''}
            >
              ${presetName(preset, language)}
            </button>
          </li>`,
      )}
    </ul>`;
}

function formErrorFor(refused: Refused, language: Language): FormError {
  const messages = inviteMessages[language];
  switch (refused.kind) {
    case 'invalid_email':
      return { field: 'email', text: messages.invalid_email };
    case 'already_member':
      return { field: 'email', text: refused.isActive ? messages.member : messages.inactive };
    case 'not_held':
      return { field: 'permissions', text: missingPermissionsText(refused.missing, language) };
    case 'too_many':
      return { field: null, text: messages.too_many };
    case 'too_many_mails':
      return {
        field: null,
        text: messages.tooManyMails(Math.ceil(refused.retryAfterSeconds / 60)),
      };
  }
}
