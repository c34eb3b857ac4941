import { html } from 'hono/html';
import { type Consequences, consequencesOf } from '../../connections/consequences.ts';
import type { Markup } from '../../pages/page.ts';
import { changeMember, type ChangeMemberResult } from '../../shops/change-member.ts';
import type { Member } from '../../shops/member.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { confirmPage } from '../parts/confirm-page.ts';
import { faultSummary, note } from '../parts/notes.ts';
import type { Visit } from '../visit.ts';
import { notAllowed } from './permission-boxes.ts';
import { memberActivityMessages } from './messages.ts';

/**
 * Explains what ends when a member is deactivated; with `isLastManager`, why it was refused (422).
 */
export async function confirmDeactivate(
  { db }: Pick<ConsoleDeps, 'db'>,
  visit: Visit,
  member: Member,
  isLastManager = false,
): Promise<ConsoleAnswer> {
  const messages = memberActivityMessages[visit.language];
  const { id, name } = member.account;
  const href = visit.path(`/members/${id}`);
  if (!member.isActive) return goTo(href);
  const ending = await consequencesOf(db, visit.shop.id, id, visit.now);
  const faults = isLastManager ? [{ field: null, text: messages.lastManager }] : [];
  return confirmPage(visit, {
    title: messages.title(name),
    section: 'members',
    back: { href, label: name },
    status: isLastManager ? 422 : 200,
    content: html`${faultSummary(messages.notDone, faults)}
      ${id === visit.account.id ? note('warn', messages.self) : ''}
      ${renderConsequences(visit, member, ending)}
      <p>${messages.stays}</p>`,
    action: `${href}/deactivate`,
    button: messages.confirm,
    keep: messages.cancel,
  });
}

export function setActivity(
  isActive: boolean,
): (deps: ConsoleDeps, visit: Visit, member: Member) => Promise<ConsoleAnswer> {
  return async (deps, visit, before) => {
    const { shop, now, actor } = visit;
    const { id } = before.account;
    const result = await deps.write(
      shop.id,
      async (tx) => await changeMember(tx, shop.id, id, { isActive }, now, actor),
    );
    return await answerActivity(deps, visit, before, { result, isActive });
  };
}

async function answerActivity(
  deps: ConsoleDeps,
  visit: Visit,
  before: Member,
  { result, isActive }: { readonly result: ChangeMemberResult; readonly isActive: boolean },
): Promise<ConsoleAnswer> {
  const { id } = before.account;
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
      return await confirmDeactivate(deps, visit, before, true);
    case 'changed':
      if (before.isActive === isActive) return goTo(visit.path(`/members/${id}`), 'unchanged');
      if (isActive) return goTo(visit.path(`/members/${id}`), 'member_activated');
      return id === visit.account.id
        ? goTo('/console')
        : goTo(visit.path('/members'), 'member_deactivated');
  }
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
