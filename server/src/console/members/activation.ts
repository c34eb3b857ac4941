import { html } from 'hono/html';
import {
  type DeactivationEffects,
  readDeactivationEffects,
} from '../../connections/deactivation-effects.ts';
import type { Markup } from '../../html/page.ts';
import { changeMember, type ChangeMemberResult } from '../../shops/change-member.ts';
import type { Member } from '../../shops/member.ts';
import { type ConsoleResponse, redirectTo, NOT_FOUND } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { confirmPage } from '../parts/confirm-page.ts';
import { errorSummary, callout } from '../parts/notes.ts';
import type { RequestContext } from '../request-context.ts';
import { missingPermissions, notAllowed } from './permission-boxes.ts';
import { memberActivityMessages } from './messages.ts';

/**
 * Explains what ends when a member is deactivated. With `isLastManager`, the page also explains why
 * the deactivation was refused (422).
 */
export async function confirmDeactivate(
  { db }: Pick<ConsoleDeps, 'db'>,
  context: RequestContext,
  member: Member,
  isLastManager = false,
): Promise<ConsoleResponse> {
  const messages = memberActivityMessages[context.language];
  const { id, name } = member.account;
  const href = context.shopPath(`/members/${id}`);
  if (!member.isActive) return redirectTo(href);
  const missing = missingPermissions(context, member);
  if (missing.length > 0) throw notAllowed(missing);
  const ending = await readDeactivationEffects(db, context.shop.id, id, context.now);
  const errors = isLastManager ? [{ field: null, text: messages.lastManager }] : [];
  return confirmPage(context, {
    title: messages.title(name),
    section: 'members',
    back: { href, label: name },
    status: isLastManager ? 422 : 200,
    content: html`${errorSummary(messages.notDone, errors)}
      ${id === context.account.id ? callout('warn', messages.self) : ''}
      ${renderConsequences(context, member, ending)}
      <p>${messages.stays}</p>`,
    action: `${href}/deactivate`,
    button: messages.confirm,
    cancelLabel: messages.cancel,
  });
}

export function setMemberActiveAction(
  isActive: boolean,
): (deps: ConsoleDeps, context: RequestContext, member: Member) => Promise<ConsoleResponse> {
  return async (deps, context, before) => {
    const { shop, now, actor } = context;
    const { id } = before.account;
    const result = await deps.write(
      shop.id,
      async (tx) => await changeMember(tx, shop.id, id, { isActive }, now, actor),
    );
    return await respondToActivation(deps, context, before, { result, isActive });
  };
}

async function respondToActivation(
  deps: ConsoleDeps,
  context: RequestContext,
  before: Member,
  { result, isActive }: { readonly result: ChangeMemberResult; readonly isActive: boolean },
): Promise<ConsoleResponse> {
  const { id } = before.account;
  switch (result.kind) {
    case 'not_found':
      return NOT_FOUND;
    case 'not_allowed':
      throw notAllowed();
    case 'not_held':
      throw notAllowed(result.missing);
    case 'changed_meanwhile':
    case 'own_permissions':
      throw new Error(`activation was refused like a change of permissions: ${result.kind}`);
    case 'last_manager':
      return await confirmDeactivate(deps, context, before, true);
    case 'changed':
      if (before.isActive === isActive) {
        return redirectTo(context.shopPath(`/members/${id}`), 'unchanged');
      }
      if (isActive) return redirectTo(context.shopPath(`/members/${id}`), 'member_activated');
      return id === context.account.id
        ? redirectTo('/console')
        : redirectTo(context.shopPath('/members'), 'member_deactivated');
  }
}

function renderConsequences(
  context: RequestContext,
  { permissions }: Member,
  { apps, keys, sessions, isElsewhere }: DeactivationEffects,
): Markup {
  const { language, format } = context;
  const messages = memberActivityMessages[language];
  return html`<h2>${messages.ends}</h2>
    <ul>
      <li>${messages.pages}</li>
      ${isElsewhere ? '' : html`<li>${messages.sessions(format.number(sessions))}</li>`}
      ${permissions.includes('members.manage') ? html`<li>${messages.invitations}</li>` : ''}
    </ul>
    ${isElsewhere ? html`<p>${messages.elsewhere}</p>` : ''}
    <h2>${messages.apps}</h2>
    ${
      apps.length === 0
        ? html`<p>${messages.noApps}</p>`
        : html`<p>${messages.appsText}</p>
            <ul>
              ${apps.map(
                ({ name, otherApprover }) =>
                  html`<li>
                    <strong>${name}</strong>
                    ${
                      otherApprover === null
                        ? ''
                        : html`<span class="soft small below"
                            >${messages.goesOn(otherApprover)}</span
                          >`
                    }
                  </li>`,
              )}
            </ul>`
    }
    ${keys.length === 0 ? '' : renderKeys(context, keys)}`;
}

function renderKeys(context: RequestContext, keys: DeactivationEffects['keys']): Markup {
  const messages = memberActivityMessages[context.language];
  return html`<h2>${messages.keys}</h2>
    <p>${messages.keysText}</p>
    <ul>
      ${keys.map(({ name }) => html`<li>${name === '' ? messages.unnamed : name}</li>`)}
    </ul>
    ${
      context.can('integrations.manage')
        ? html`<p><a href="${context.shopPath('/apps/keys')}">${messages.keysLink}</a></p>`
        : ''
    }`;
}
