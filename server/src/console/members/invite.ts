import { html } from 'hono/html';
import type { Queryable } from '../../database/database.ts';
import type { Language } from '../../pages/language.ts';
import { type Invitation, listInvitations, withdrawInvitation } from '../../shops/invitation.ts';
import { inviteMember, type InviteMemberResult } from '../../shops/invite-member.ts';
import type { Permission } from '../../shops/permission.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { submitButton } from '../parts/button.ts';
import { selectField, textField } from '../parts/field.ts';
import { faultOf, faultSummary, type FormFault } from '../parts/notes.ts';
import { uuidOf } from '../query.ts';
import type { Visit } from '../visit.ts';
import {
  notAllowed,
  notHeldSentence,
  permissionBoxes,
  readPermissionBoxes,
} from './permission-boxes.ts';
import { permissionsOfPreset, presetName, presetOf, PRESETS } from './preset.ts';
import { sendInvitation } from './send-invitation.ts';
import { inviteMessages } from './messages.ts';

type Refused = Exclude<InviteMemberResult, { readonly kind: 'invited' | 'not_allowed' }>;

/** Names of languages, each in that language. */
const LANGUAGES = [
  { value: 'ja', label: '日本語' },
  { value: 'en', label: 'English' },
] as const;

interface InviteForm {
  readonly email: string;
  readonly language: Language;
  readonly permissions: readonly Permission[];
  /** Null when the boxes come from a submitted form. */
  readonly preset: string | null;
}

export async function showInvite(_deps: ConsoleDeps, visit: Visit): Promise<ConsoleAnswer> {
  const preset = presetOf(visit.query['preset']);
  const permissions = permissionsOfPreset(preset).filter((each) => visit.may(each));
  return showForm(visit, { email: '', language: visit.language, permissions, preset }, null);
}

export async function invite(deps: ConsoleDeps, visit: Visit): Promise<ConsoleAnswer> {
  const { form } = visit;
  return await inviteAs(deps, visit, {
    email: (form.get('email') ?? '').trim(),
    language: form.get('language') === 'ja' ? 'ja' : 'en',
    permissions: readPermissionBoxes(form),
    preset: null,
  });
}

export async function withdraw(
  deps: ConsoleDeps,
  { shop, now, actor, path }: Visit,
  { id }: Invitation,
): Promise<ConsoleAnswer> {
  const isWithdrawn = await deps.write(
    shop.id,
    async (tx) => await withdrawInvitation(tx, shop.id, id, now, actor),
  );
  return isWithdrawn ? goTo(path('/members'), 'invitation_withdrawn') : NOT_FOUND;
}

export async function inviteAgain(
  deps: ConsoleDeps,
  visit: Visit,
  { email, language, permissions }: Invitation,
): Promise<ConsoleAnswer> {
  return await inviteAs(deps, visit, { email, language, permissions, preset: null });
}

/** The open invitation named by the path. */
export async function findInvitationOfPath(
  db: Queryable,
  { shop, params, now }: Visit,
): Promise<Invitation | undefined> {
  return (await listInvitations(db, shop.id, now)).find(({ id }) => id === uuidOf(params['id']));
}

async function inviteAs(
  deps: ConsoleDeps,
  visit: Visit,
  wanted: InviteForm,
): Promise<ConsoleAnswer> {
  const { shop, now, actor } = visit;
  const result = await deps.write(
    shop.id,
    async (tx) => await inviteMember(tx, shop.id, wanted, now, actor),
  );
  if (result.kind === 'not_allowed') throw notAllowed();
  if (result.kind !== 'invited') return showForm(visit, wanted, result);
  return await sendInvitation(visit, deps, { ...wanted, ...result });
}

function showForm(visit: Visit, values: InviteForm, refused: Refused | null): ConsoleAnswer {
  const { language } = visit;
  const messages = inviteMessages[language];
  const faults = refused === null ? [] : [faultFor(refused, language)];
  const content = html`${faultSummary(messages.notSent, faults)}
    <div class="sheet">
      <p>${messages.intro}</p>
      <p class="soft small" id="presets">${messages.presets}</p>
      <ul class="tabs" aria-labelledby="presets">
        ${PRESETS.map((preset) => {
          const current = preset === values.preset ? html` aria-current="true"` : '';
          const href = visit.path(`/members/invite?preset=${preset}`);
          return html`<li><a href="${href}" ${current}>${presetName(preset, language)}</a></li>`;
        })}
      </ul>
      <form class="stack" method="post" action="${visit.path('/members/invite')}">
        ${visit.formToken}
        ${textField({
          name: 'email',
          label: messages.email,
          type: 'email',
          value: values.email,
          maxLength: 254,
          autocomplete: 'off',
          isRequired: true,
          fault: faultOf(faults, 'email'),
        })}
        ${selectField({
          name: 'language',
          label: messages.language,
          hint: messages.languageHint,
          value: values.language,
          choices: LANGUAGES,
        })}
        ${permissionBoxes(
          language,
          values.permissions.filter((each) => visit.may(each)),
          visit.permissions,
        )}
        <div class="actions">${submitButton(messages.send)}</div>
      </form>
    </div>`;
  return showPage({
    title: messages.title,
    section: 'members',
    back: { href: visit.path('/members'), label: messages.members },
    status: refused === null ? 200 : refused.kind === 'not_held' ? 403 : 422,
    content,
  });
}

function faultFor(refused: Refused, language: Language): FormFault {
  const messages = inviteMessages[language];
  switch (refused.kind) {
    case 'invalid_email':
      return { field: 'email', text: messages.invalid_email };
    case 'already_member':
      return { field: 'email', text: refused.isActive ? messages.member : messages.inactive };
    case 'not_held':
      return { field: 'permissions', text: notHeldSentence(refused.missing, language) };
    case 'too_many':
      return { field: null, text: messages.too_many };
    case 'too_many_mails':
      return {
        field: null,
        text: messages.tooManyMails(Math.ceil(refused.retryAfterSeconds / 60)),
      };
  }
}
