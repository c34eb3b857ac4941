import { html } from 'hono/html';
import type { Queryable } from '../../database/database.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { changeMember } from '../../shops/change-member.ts';
import { type MemberPresence, readMemberPresence } from '../../shops/member-presence.ts';
import { findMember, type Member } from '../../shops/member.ts';
import { type Permission, PERMISSIONS } from '../../shops/permission.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { badge } from '../parts/badge.ts';
import { actionButton, linkButton, submitButton } from '../parts/button.ts';
import { facts, faultSummary, note } from '../parts/notes.ts';
import { permissionsInWords } from '../permission-words.ts';
import { uuidOf } from '../query.ts';
import type { Visit } from '../visit.ts';
import {
  notAllowed,
  notHeldSentence,
  permissionBoxes,
  readPermissionBoxes,
  readSeenPermissions,
  seenPermissions,
} from './permission-boxes.ts';
import { memberMessages } from './messages.ts';

export async function changePermissions(
  deps: ConsoleDeps,
  visit: Visit,
  before: Member,
): Promise<ConsoleAnswer> {
  const { shop, now, actor } = visit;
  const { id } = before.account;
  const permissions = readPermissionBoxes(visit.form);
  const change = { permissions, seen: readSeenPermissions(visit.form) };
  const result = await deps.write(
    shop.id,
    async (tx) => await changeMember(tx, shop.id, id, change, now, actor),
  );
  switch (result.kind) {
    case 'not_found':
      return NOT_FOUND;
    case 'not_allowed':
      throw notAllowed();
    case 'last_manager':
      return await showMember(deps, visit, before, { permissions, kind: 'last_manager' });
    case 'changed_meanwhile':
    case 'own_permissions':
      return await showMember(deps, visit, result.member, { permissions, kind: result.kind });
    case 'not_held': {
      const { missing, member } = result;
      return await showMember(deps, visit, member, { permissions, kind: 'not_held', missing });
    }
    case 'changed':
      return goTo(visit.path(`/members/${id}`), 'saved');
  }
}

/** The member named by the path; undefined when the id is malformed, unknown or another shop's. */
export async function findMemberOfPath(db: Queryable, visit: Visit): Promise<Member | undefined> {
  const id = uuidOf(visit.params['id']);
  return id === null ? undefined : await findMember(db, visit.shop.id, id);
}

/** The ticked boxes that were rejected. */
interface Refused {
  readonly permissions: readonly Permission[];
  readonly kind: 'last_manager' | 'changed_meanwhile' | 'own_permissions' | 'not_held';
  /** For `not_held`. */
  readonly missing?: readonly Permission[];
}

const STATUS_OF = {
  last_manager: 422,
  changed_meanwhile: 409,
  own_permissions: 403,
  not_held: 403,
} as const;

/** The page of a member; with the permissions that were `refused`. */
export async function showMember(
  { db }: Pick<ConsoleDeps, 'db'>,
  visit: Visit,
  member: Member,
  refused: Refused | null = null,
): Promise<ConsoleAnswer> {
  const { language } = visit;
  const messages = memberMessages[language];
  const { id, name } = member.account;
  const presence = (await readMemberPresence(db, visit.shop.id)).get(id);
  const isOwn = id === visit.account.id;
  const faults =
    refused === null ? [] : [{ field: 'permissions', text: reasonOf(refused, member, language) }];
  const content = html`${faultSummary(messages.notSaved, faults)}
    <section class="sheet">${renderFacts(visit, member, presence)}</section>
    <section class="sheet">
      <h2>${messages.permissions}</h2>
      ${
        isOwn
          ? html`${note('warn', messages.you)}
              <div class="stack">${permissionBoxes(language, member.permissions, new Set())}</div>`
          : html`<form
              class="stack"
              method="post"
              action="${visit.path(`/members/${id}/permissions`)}"
            >
              ${visit.formToken} ${seenPermissions(member.permissions)}
              ${permissionBoxes(language, tickedOf(visit, member, refused), visit.permissions)}
              <div class="actions">${submitButton(messages.save)}</div>
            </form>`
      }
    </section>
    <section class="sheet">
      <h2>${messages.access}</h2>
      <p>${member.isActive ? messages.deactivateText : messages.activateText}</p>
      ${
        member.isActive
          ? linkButton({
              href: visit.path(`/members/${id}/deactivate`),
              label: messages.deactivate,
              kind: 'danger',
            })
          : actionButton(visit, {
              action: visit.path(`/members/${id}/activate`),
              label: messages.activate,
              kind: 'first',
            })
      }
    </section>`;
  return showPage({
    title: name,
    section: 'members',
    back: { href: visit.path('/members'), label: messages.members },
    status: refused === null ? 200 : STATUS_OF[refused.kind],
    content,
  });
}

function reasonOf(refused: Refused, member: Member, language: Language): string {
  const messages = memberMessages[language];
  switch (refused.kind) {
    case 'last_manager':
      return messages.lastManager;
    case 'changed_meanwhile':
      return messages.meanwhile(permissionsInWords(member.permissions, language));
    case 'own_permissions':
      return messages.you;
    case 'not_held':
      return notHeldSentence(refused.missing ?? [], language);
  }
}

/** The submitted boxes where the visitor may change them, the stored ones elsewhere. */
function tickedOf(
  visit: Visit,
  { permissions }: Member,
  refused: Refused | null,
): readonly Permission[] {
  if (refused === null) return permissions;
  return PERMISSIONS.filter((each) =>
    (visit.may(each) ? refused.permissions : permissions).includes(each),
  );
}

function renderFacts(visit: Visit, member: Member, presence: MemberPresence | undefined): Markup {
  const { language, format } = visit;
  const messages = memberMessages[language];
  const { id, email } = member.account;
  const lastSeenAt = presence?.lastSeenAt ?? null;
  return html`${facts([
      [messages.email, email],
      [
        messages.state,
        member.isActive ? badge(messages.active, 'good') : badge(messages.inactive, 'warn'),
      ],
      [messages.lastSeen, lastSeenAt === null ? messages.notKnown : format.ago(lastSeenAt)],
      [messages.passkeys, format.number(presence?.passkeys ?? 0)],
    ])}
    <p class="actions">
      <a href="${visit.path(`/audit?who=member:${id}`)}">${messages.audit}</a>
      <a href="${visit.path(`/audit?about=${id}`)}">${messages.about}</a>
    </p>`;
}
