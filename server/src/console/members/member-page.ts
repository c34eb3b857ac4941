import { html } from 'hono/html';
import type { Queryable } from '../../database/database.ts';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import { changeMember } from '../../shops/change-member.ts';
import { type SignInSummary, readSignInSummaries } from '../../shops/sign-in-summary.ts';
import { findMember, type Member } from '../../shops/member.ts';
import { type Permission, PERMISSIONS } from '../../shops/permission.ts';
import { type ConsoleResponse, redirectTo, NOT_FOUND, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { badge } from '../parts/badge.ts';
import { actionButton, linkButton, submitButton } from '../parts/button.ts';
import { descriptionList, errorSummary, callout } from '../parts/notes.ts';
import { permissionNames, summarizePermissions } from '../permission-text.ts';
import { parseUuid } from '../query.ts';
import type { RequestContext } from '../request-context.ts';
import {
  missingPermissions,
  notAllowed,
  missingPermissionsText,
  permissionCheckboxes,
  readPermissionCheckboxes,
  readShownPermissions,
  shownPermissionsInput,
} from './permission-boxes.ts';
import { memberMessages } from './messages.ts';
import { renderReset } from './reset-password.ts';

export async function changePermissions(
  deps: ConsoleDeps,
  context: RequestContext,
  before: Member,
): Promise<ConsoleResponse> {
  const { shop, now, actor } = context;
  const { id } = before.account;
  const permissions = readPermissionCheckboxes(context.form);
  const change = { permissions, seen: readShownPermissions(context.form) };
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
      return await showMember(deps, context, before, { permissions, kind: 'last_manager' });
    case 'changed_meanwhile':
    case 'own_permissions':
      return await showMember(deps, context, result.member, { permissions, kind: result.kind });
    case 'not_held': {
      const { missing, member } = result;
      return await showMember(deps, context, member, { permissions, kind: 'not_held', missing });
    }
    case 'changed':
      return redirectTo(context.shopPath(`/members/${id}`), 'saved');
  }
}

export async function findMemberByPath(
  db: Queryable,
  context: RequestContext,
): Promise<Member | undefined> {
  const id = parseUuid(context.params['id']);
  return id === null ? undefined : await findMember(db, context.shop.id, id);
}

/** A submitted form that was refused: the ticked permissions and the reason. */
interface Refused {
  readonly permissions: readonly Permission[];
  readonly kind: 'last_manager' | 'changed_meanwhile' | 'own_permissions' | 'not_held';
  /** The permissions that the signed-in member does not hold, if the kind is `not_held`. */
  readonly missing?: readonly Permission[];
}

const STATUS_OF = {
  last_manager: 422,
  changed_meanwhile: 409,
  own_permissions: 403,
  not_held: 403,
} as const;

/** Shows the page of a member. After a refusal, the form contains the submitted permissions. */
export async function showMember(
  deps: ConsoleDeps,
  context: RequestContext,
  member: Member,
  refused: Refused | null = null,
): Promise<ConsoleResponse> {
  const { language } = context;
  const messages = memberMessages[language];
  const { id, name } = member.account;
  const presence = (await readSignInSummaries(deps.db, context.shop.id)).get(id);
  const reset = await renderReset(deps, context, member);
  const isOwn = id === context.account.id;
  const missing = missingPermissions(context, member);
  const errors =
    refused === null ? [] : [{ field: 'permissions', text: reasonOf(refused, member, language) }];
  const content = html`${errorSummary(messages.notSaved, errors)}
    <section class="sheet">${renderFacts(context, member, presence)}</section>
    <section class="sheet">
      <h2>${messages.permissions}</h2>
      ${
        isOwn
          ? html`${callout('warn', messages.you)}
              <div class="stack">
                ${permissionCheckboxes(language, member.permissions, new Set())}
              </div>`
          : html`<form
              class="stack"
              method="post"
              action="${context.shopPath(`/members/${id}/permissions`)}"
            >
              ${context.formToken}
              ${permissionCheckboxes(language, tickedOf(context, member, refused), context.permissions)}
              ${shownPermissionsInput(member.permissions)}
              <div class="actions">${submitButton(messages.save)}</div>
            </form>`
      }
    </section>
    ${reset.content}
    <section class="sheet">
      <h2>${messages.access}</h2>
      <p>${member.isActive ? messages.deactivateText : messages.activateText}</p>
      ${
        missing.length > 0
          ? html`<p>${messages.memberNotHeld(permissionNames(missing, language))}</p>`
          : member.isActive
            ? linkButton({
                href: context.shopPath(`/members/${id}/deactivate`),
                label: messages.deactivate,
                kind: 'danger',
              })
            : actionButton(context, {
                action: context.shopPath(`/members/${id}/activate`),
                label: messages.activate,
                kind: 'first',
              })
      }
    </section>`;
  return showPage({
    title: name,
    section: 'members',
    back: { href: context.shopPath('/members'), label: messages.members },
    status: refused === null ? 200 : STATUS_OF[refused.kind],
    cookies: reset.cookies,
    content,
  });
}

function reasonOf(refused: Refused, member: Member, language: Language): string {
  const messages = memberMessages[language];
  switch (refused.kind) {
    case 'last_manager':
      return messages.lastManager;
    case 'changed_meanwhile':
      return messages.meanwhile(summarizePermissions(member.permissions, language));
    case 'own_permissions':
      return messages.you;
    case 'not_held':
      return missingPermissionsText(refused.missing ?? [], language);
  }
}

/**
 * Returns the boxes to tick after a refusal: as submitted where the signed-in member may change the
 * permission, otherwise as stored.
 */
function tickedOf(
  context: RequestContext,
  { permissions }: Member,
  refused: Refused | null,
): readonly Permission[] {
  if (refused === null) return permissions;
  return PERMISSIONS.filter((each) =>
    (context.can(each) ? refused.permissions : permissions).includes(each),
  );
}

function renderFacts(
  context: RequestContext,
  member: Member,
  presence: SignInSummary | undefined,
): Markup {
  const { language, format } = context;
  const messages = memberMessages[language];
  const { id, email } = member.account;
  const lastSeenAt = presence?.lastSeenAt ?? null;
  return html`${descriptionList([
      [messages.email, email],
      [
        messages.state,
        member.isActive ? badge(messages.active, 'good') : badge(messages.inactive, 'warn'),
      ],
      [messages.lastSeen, lastSeenAt === null ? messages.notKnown : format.ago(lastSeenAt)],
      [messages.passkeys, format.number(presence?.passkeys ?? 0)],
    ])}
    <p class="actions">
      <a href="${context.shopPath(`/audit?who=member:${id}`)}">${messages.audit}</a>
      <a href="${context.shopPath(`/audit?about=${id}`)}">${messages.about}</a>
    </p>`;
}
