import { html } from 'hono/html';
import { isUuid } from '../../base/field.ts';
import type { Language } from '../../pages/language.ts';
import { listInvitations, withdrawInvitation } from '../../shops/invitation.ts';
import { inviteMember, type InviteMemberResult } from '../../shops/invite-member.ts';
import type { Permission } from '../../shops/permission.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { submitButton } from '../parts/button.ts';
import { selectField, textField } from '../parts/field.ts';
import { faultOf, faultSummary, type FormFault } from '../parts/notes.ts';
import type { SectionRoutes } from '../section.ts';
import type { Visit } from '../visit.ts';
import { notHeldSentence, permissionBoxes, readPermissionBoxes } from './permission-boxes.ts';
import { permissionsOfPreset, presetName, presetOf, PRESETS } from './preset.ts';
import { notAllowed } from './refused.ts';
import { sendInvitation } from './send-invitation.ts';
import { inviteMessages } from './messages.ts';

type Refused = Exclude<InviteMemberResult, { readonly kind: 'invited' | 'not_allowed' }>;

/** Names of languages, each in its own. */
const LANGUAGES = [
  { value: 'ja', label: '日本語' },
  { value: 'en', label: 'English' },
] as const;

interface InviteForm {
  readonly email: string;
  readonly language: Language;
  readonly permissions: readonly Permission[];
  /** Null when the boxes are as somebody has ticked them. */
  readonly preset: string | null;
}

/** Mounts inviting, withdrawing and sending again. */
export function mountInvitations(routes: SectionRoutes, deps: ConsoleDeps): void {
  const { db } = deps;
  routes.page('/members/invite', 'members.manage', async (visit) => {
    const preset = presetOf(visit.query['preset']);
    const permissions = permissionsOfPreset(preset).filter((each) => visit.may(each));
    return showForm(visit, { email: '', language: visit.language, permissions, preset }, null);
  });

  routes.action('/members/invite', 'members.manage', async (visit) => {
    const { form, now, shop, actor } = visit;
    const wanted: InviteForm = {
      email: (form.get('email') ?? '').trim(),
      language: form.get('language') === 'ja' ? 'ja' : 'en',
      permissions: readPermissionBoxes(form),
      preset: null,
    };
    const result = await deps.write(
      shop.id,
      async (tx) => await inviteMember(tx, shop.id, wanted, now, actor),
    );
    if (result.kind === 'not_allowed') throw notAllowed();
    if (result.kind !== 'invited') return showForm(visit, wanted, result);
    return await sendInvitation(visit, deps, { ...wanted, ...result });
  });

  routes.action('/members/invitations/:id/withdraw', 'members.manage', async (visit) => {
    const id = visit.params['id'];
    if (!isUuid(id)) return NOT_FOUND;
    const { shop, now, actor } = visit;
    const isWithdrawn = await deps.write(
      shop.id,
      async (tx) => await withdrawInvitation(tx, shop.id, id, now, actor),
    );
    return isWithdrawn ? goTo(visit.path('/members'), 'invitation_withdrawn') : NOT_FOUND;
  });

  routes.action('/members/invitations/:id/again', 'members.manage', async (visit) => {
    const { shop, now, actor } = visit;
    const waiting = await listInvitations(db, shop.id, now);
    const found = waiting.find(({ id }) => id === visit.params['id']);
    if (found === undefined) return NOT_FOUND;
    const result = await deps.write(
      shop.id,
      async (tx) => await inviteMember(tx, shop.id, found, now, actor),
    );
    if (result.kind === 'not_allowed') throw notAllowed();
    if (result.kind !== 'invited') return showForm(visit, { ...found, preset: null }, result);
    return await sendInvitation(visit, deps, { ...found, ...result });
  });
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
    back: { href: visit.path('/members'), label: messages.back },
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
