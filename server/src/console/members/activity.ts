import { html } from 'hono/html';
import { type Consequences, consequencesOf } from '../../connections/consequences.ts';
import type { Language } from '../../pages/language.ts';
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

interface Words {
  readonly title: (name: string) => string;
  readonly ends: string;
  readonly pages: string;
  readonly sessions: (count: string) => string;
  readonly elsewhere: string;
  readonly invitations: string;
  readonly noApps: string;
  readonly apps: string;
  readonly appsText: string;
  readonly goesOn: (approver: string) => string;
  readonly keys: string;
  readonly keysText: string;
  readonly keysLink: string;
  readonly unnamed: string;
  readonly stays: string;
  readonly self: string;
  readonly confirm: string;
  readonly cancel: string;
  readonly notDone: string;
  readonly lastManager: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: (name) => `Deactivate ${name}?`,
    ends: 'What ends at once',
    pages: 'Every page of this shop, for this member.',
    sessions: (count) => `Being signed in, in every browser (${count} now).`,
    elsewhere: 'The member stays signed in, for another shop, and sees nothing of this one.',
    invitations: 'Invitations that this member sent and nobody has accepted yet.',
    noApps: 'No connected app depends on this member.',
    apps: 'Apps that stop',
    appsText:
      'This member approved the apps below. Their calls are refused until another member approves them again; after that they go on where they were.',
    goesOn: (approver) => `${approver} has approved it too: what it does by that approval goes on.`,
    keys: 'API keys that go on',
    keysText:
      'This member made the keys below, saw them then, and may have kept them. A key opens the shop to whoever has it: make new ones where they are used, and remove these.',
    keysLink: 'Show the keys',
    unnamed: 'Without a name',
    stays: 'Nothing is deleted, and you can activate the member again at any time.',
    self: 'This is you: you will be signed out.',
    confirm: 'Deactivate',
    cancel: 'Cancel',
    notDone: 'The member was not deactivated',
    lastManager:
      'Nobody else may manage the members of this shop. Give somebody else that permission first.',
  },
  ja: {
    title: (name) => `${name} さんの利用を停止しますか？`,
    ends: 'すぐに終了するもの',
    pages: 'このメンバーによる、このショップのすべてのページの利用',
    sessions: (count) => `すべてのブラウザでのログイン（現在 ${count} 件）`,
    elsewhere:
      'ほかのショップのメンバーでもあるため、ログインは続きます。このショップの情報は表示できなくなります。',
    invitations: 'このメンバーが送信し、まだ承諾されていない招待',
    noApps: 'このメンバーの承認で動いているアプリはありません。',
    apps: '停止するアプリ',
    appsText:
      '次のアプリはこのメンバーが承認しました。ほかのメンバーがあらためて承認するまで、アプリからの呼び出しは拒否されます。承認後は、続きから再開します。',
    goesOn: (approver) => `${approver} さんも承認しています。その承認による利用は続きます。`,
    keys: '引き続き使える API キー',
    keysText:
      '次のキーはこのメンバーが発行し、控えている可能性があります。キーを持つ人は誰でもこのショップを操作できます。利用中のシステムには新しいキーを設定し、これらは削除してください。',
    keysLink: 'キーの一覧を見る',
    unnamed: '名前なし',
    stays: 'データは削除されません。いつでも再開できます。',
    self: 'ご自身を停止しようとしています。停止するとログアウトします。',
    confirm: '利用を停止する',
    cancel: 'キャンセル',
    notDone: 'メンバーの利用は停止されませんでした',
    lastManager:
      'ほかにメンバーを管理できる方がいません。先にほかの方へ「メンバーの管理」の権限を付けてください。',
  },
};

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
  const text = WORDS[visit.language];
  const { id, name } = member.account;
  const ending = await consequencesOf(db, visit.shop.id, id, visit.now);
  const faults = isLastManager ? [{ field: null, text: text.lastManager }] : [];
  return showPage({
    title: text.title(name),
    section: 'members',
    back: { href: visit.path(`/members/${id}`), label: name },
    status: isLastManager ? 422 : 200,
    content: html`${faultSummary(text.notDone, faults)}
      <div class="sheet">
        ${id === visit.account.id ? note('warn', text.self) : ''}
        ${renderConsequences(visit, member, ending)}
        <p>${text.stays}</p>
        <form method="post" action="${visit.path(`/members/${id}/deactivate`)}">
          ${visit.formToken}
          <div class="actions">
            ${submitButton(text.confirm, 'danger')}
            ${linkButton({ href: visit.path(`/members/${id}`), label: text.cancel, kind: 'plain' })}
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
  const text = WORDS[language];
  return html`<h2>${text.ends}</h2>
    <ul>
      <li>${text.pages}</li>
      ${isElsewhere ? '' : html`<li>${text.sessions(format.number(sessions))}</li>`}
      ${permissions.includes('members.manage') ? html`<li>${text.invitations}</li>` : ''}
    </ul>
    ${isElsewhere ? html`<p>${text.elsewhere}</p>` : ''}
    <h2>${text.apps}</h2>
    ${
      apps.length === 0
        ? html`<p>${text.noApps}</p>`
        : html`<p>${text.appsText}</p>
            <ul>
              ${apps.map(
                ({ name, otherApprover }) =>
                  html`<li>
                    <strong>${name}</strong>
                    ${
                      otherApprover === null
                        ? ''
                        : html`<span class="soft small below">${text.goesOn(otherApprover)}</span>`
                    }
                  </li>`,
              )}
            </ul>`
    }
    ${keys.length === 0 ? '' : renderKeys(visit, keys)}`;
}

function renderKeys(visit: Visit, keys: Consequences['keys']): Markup {
  const text = WORDS[visit.language];
  return html`<h2>${text.keys}</h2>
    <p>${text.keysText}</p>
    <ul>
      ${keys.map(({ name }) => html`<li>${name === '' ? text.unnamed : name}</li>`)}
    </ul>
    ${
      visit.may('integrations.manage')
        ? html`<p><a href="${visit.path('/apps/keys')}">${text.keysLink}</a></p>`
        : ''
    }`;
}
