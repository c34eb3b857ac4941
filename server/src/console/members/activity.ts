import { html } from 'hono/html';
import { type Consequences, consequencesOf } from '../../connections/consequences.ts';
import type { Markup } from '../../pages/page.ts';
import { changeMember } from '../../shops/change-member.ts';
import type { Member } from '../../shops/member.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { linkButton, submitButton } from '../parts/button.ts';
import { faultSummary, note } from '../parts/notes.ts';
import type { SectionRoutes } from '../section.ts';
import type { Visit } from '../visit.ts';
import { findMemberOfPath } from './member-page.ts';
import { notAllowed } from './refused.ts';
import { memberActivityMessages } from './messages.ts';

/** Mounts the deactivation of a member, after a page that says what ends, and the activation. */
export function mountActivity(routes: SectionRoutes, deps: ConsoleDeps): void {
  const { db } = deps;
  routes.page('/members/:id/deactivate', 'members.manage', async (visit) => {
    const member = await findMemberOfPath(db, visit);
    if (member === undefined) return NOT_FOUND;
    if (!member.isActive) return goTo(visit.path(`/members/${member.account.id}`));
    return await showConfirmation(deps, visit, member, false);
  });

  routes.action(
    '/members/:id/deactivate',
    'members.manage',
    async (visit) => await setActivity(deps, visit, false),
  );

  routes.action(
    '/members/:id/activate',
    'members.manage',
    async (visit) => await setActivity(deps, visit, true),
  );
}

async function setActivity(
  deps: ConsoleDeps,
  visit: Visit,
  isActive: boolean,
): Promise<ConsoleAnswer> {
  const before = await findMemberOfPath(deps.db, visit);
  if (before === undefined) return NOT_FOUND;
  const { shop, now, actor, account } = visit;
  const { id } = before.account;
  const result = await deps.write(
    shop.id,
    async (tx) => await changeMember(tx, shop.id, id, { isActive }, now, actor),
  );
  switch (result.kind) {
    case 'not_found':
      return NOT_FOUND;
    case 'not_allowed':
      throw notAllowed();
    case 'changed_meanwhile':
    case 'own_permissions':
    case 'not_held':
      throw new Error('no permission was to be changed');
    case 'last_manager':
      return await showConfirmation(deps, visit, before, true);
    case 'changed':
      if (before.isActive === isActive) return goTo(visit.path(`/members/${id}`), 'unchanged');
      if (isActive) return goTo(visit.path(`/members/${id}`), 'member_activated');
      return id === account.id
        ? goTo('/console')
        : goTo(visit.path('/members'), 'member_deactivated');
  }
}

async function showConfirmation(
  { db }: ConsoleDeps,
  visit: Visit,
  member: Member,
  isLastManager: boolean,
): Promise<ConsoleAnswer> {
  const messages = memberActivityMessages[visit.language];
  const { id, name } = member.account;
  const ending = await consequencesOf(db, visit.shop.id, id, visit.now);
  const faults = isLastManager ? [{ field: null, text: messages.lastManager }] : [];
  return showPage({
    title: messages.title(name),
    section: 'members',
    back: { href: visit.path(`/members/${id}`), label: name },
    status: isLastManager ? 422 : 200,
    content: html`${faultSummary(messages.notDone, faults)}
      <div class="sheet">
        ${id === visit.account.id ? note('warn', messages.self) : ''}
        ${renderConsequences(visit, member, ending)}
        <p>${messages.stays}</p>
        <form method="post" action="${visit.path(`/members/${id}/deactivate`)}">
          ${visit.formToken}
          <div class="actions">
            ${submitButton(messages.confirm, 'danger')}
            ${linkButton({ href: visit.path(`/members/${id}`), label: messages.cancel, kind: 'plain' })}
          </div>
        </form>
      </div>`,
  });
}

function renderConsequences(
  visit: Visit,
  { permissions }: Member,
  { apps, keys, sessions, isElsewhere }: Consequences,
): Markup {
  const { language, format } = visit;
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
    ${keys.length === 0 ? '' : renderKeys(visit, keys)}`;
}

function renderKeys(visit: Visit, keys: Consequences['keys']): Markup {
  const messages = memberActivityMessages[visit.language];
  return html`<h2>${messages.keys}</h2>
    <p>${messages.keysText}</p>
    <ul>
      ${keys.map(({ name }) => html`<li>${name === '' ? messages.unnamed : name}</li>`)}
    </ul>
    ${
      visit.may('integrations.manage')
        ? html`<p><a href="${visit.path('/apps/keys')}">${messages.keysLink}</a></p>`
        : ''
    }`;
}
