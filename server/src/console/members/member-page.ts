import { html } from 'hono/html';
import { isUuid } from '../../base/field.ts';
import type { Queryable } from '../../database/database.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { changeMember } from '../../shops/change-member.ts';
import { findMember, type Member } from '../../shops/member.ts';
import { type MemberPresence, readMemberPresence } from '../../shops/member-presence.ts';
import { type Permission, PERMISSIONS } from '../../shops/permission.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { badge } from '../parts/badge.ts';
import { actionButton, linkButton, submitButton } from '../parts/button.ts';
import { facts, faultSummary, note } from '../parts/notes.ts';
import type { SectionRoutes } from '../section.ts';
import type { Visit } from '../visit.ts';
import {
  notHeldSentence,
  permissionBoxes,
  permissionsInWords,
  readPermissionBoxes,
  readSeenPermissions,
  seenPermissions,
} from './permission-boxes.ts';
import { notAllowed } from './refused.ts';

interface Words {
  readonly back: string;
  readonly email: string;
  readonly state: string;
  readonly active: string;
  readonly inactive: string;
  readonly lastSeen: string;
  readonly notKnown: string;
  readonly passkeys: string;
  readonly audit: string;
  readonly about: string;
  readonly you: string;
  readonly permissions: string;
  readonly save: string;
  readonly notSaved: string;
  readonly lastManager: string;
  readonly meanwhile: (now: string) => string;
  readonly access: string;
  readonly deactivateText: string;
  readonly deactivate: string;
  readonly activateText: string;
  readonly activate: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    back: 'Members',
    email: 'E-mail',
    state: 'State',
    active: 'Active',
    inactive: 'Deactivated',
    lastSeen: 'Last seen',
    notKnown: 'Not known',
    passkeys: 'Passkeys',
    audit: 'What this member did',
    about: 'What was done to this member',
    you: 'This is you. Only another member who manages members can change what you may do.',
    permissions: 'What this member may do',
    save: 'Save the permissions',
    notSaved: 'The permissions were not changed',
    lastManager:
      'Nobody else may manage the members of this shop. Give somebody else that permission first.',
    meanwhile: (now) =>
      `Somebody changed these permissions while this page was open. They are now: ${now}. Below is what you have chosen; saving again replaces them by that.`,
    access: 'Access',
    deactivateText:
      'Deactivate whoever leaves the shop: that person sees nothing of it any more. You are told first what ends with it.',
    deactivate: 'Deactivate…',
    activateText:
      'This member sees nothing of the shop. Activated again, the permissions above apply.',
    activate: 'Activate',
  },
  ja: {
    back: 'メンバー',
    email: 'メールアドレス',
    state: '状態',
    active: '有効',
    inactive: '停止中',
    lastSeen: '最終アクセス',
    notKnown: '不明',
    passkeys: 'パスキー',
    audit: 'このメンバーが行った操作',
    about: 'このメンバーに対する操作',
    you: 'ご自身のページです。ご自身の権限は、メンバーを管理できるほかの方だけが変更できます。',
    permissions: 'このメンバーの権限',
    save: '権限を保存',
    notSaved: '権限は変更されませんでした',
    lastManager:
      'ほかにメンバーを管理できる方がいません。先にほかの方へ「メンバーの管理」の権限を付けてください。',
    meanwhile: (now) =>
      `この画面を開いている間に、ほかの人が権限を変更しました。現在の権限：${now}。下は選択した内容です。もう一度保存すると、この内容に置き換わります。`,
    access: '利用',
    deactivateText:
      '退職などで利用を終える方は停止してください。このショップの情報は一切表示できなくなります。影響する内容は次の画面で確認できます。',
    deactivate: '利用を停止する…',
    activateText: 'このメンバーは停止中です。再開すると、上の権限で利用できるようになります。',
    activate: '利用を再開する',
  },
};

/** Mounts the page of one member, and the change of his permissions. */
export function mountMemberPage(routes: SectionRoutes, deps: ConsoleDeps): void {
  const { db } = deps;
  routes.page('/members/:id', 'members.manage', async (visit) => {
    const member = await findMemberOfPath(db, visit);
    return member === undefined ? NOT_FOUND : await showMember(db, visit, member);
  });

  routes.action('/members/:id/permissions', 'members.manage', async (visit) => {
    const before = await findMemberOfPath(db, visit);
    if (before === undefined) return NOT_FOUND;
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
        return await showMember(db, visit, before, { permissions, kind: 'last_manager' });
      case 'changed_meanwhile':
      case 'own_permissions':
        return await showMember(db, visit, result.member, { permissions, kind: result.kind });
      case 'not_held': {
        const { missing, member } = result;
        return await showMember(db, visit, member, { permissions, kind: 'not_held', missing });
      }
      case 'changed':
        return goTo(visit.path(`/members/${id}`), 'saved');
    }
  });
}

/** The member that a path names, or undefined: no such one, no uuid, another shop's. */
export async function findMemberOfPath(db: Queryable, visit: Visit): Promise<Member | undefined> {
  const id = visit.params['id'];
  return isUuid(id) ? await findMember(db, visit.shop.id, id) : undefined;
}

/** What was ticked and not taken. */
interface Refused {
  readonly permissions: readonly Permission[];
  readonly kind: 'last_manager' | 'changed_meanwhile' | 'own_permissions' | 'not_held';
  /** Of `not_held`. */
  readonly missing?: readonly Permission[];
}

const STATUS_OF = {
  last_manager: 422,
  changed_meanwhile: 409,
  own_permissions: 403,
  not_held: 403,
} as const;

async function showMember(
  db: Queryable,
  visit: Visit,
  member: Member,
  refused: Refused | null = null,
): Promise<ConsoleAnswer> {
  const { language } = visit;
  const text = WORDS[language];
  const { id, name } = member.account;
  const presence = (await readMemberPresence(db, visit.shop.id)).get(id);
  const isOwn = id === visit.account.id;
  const faults =
    refused === null ? [] : [{ field: 'permissions', text: reasonOf(refused, member, language) }];
  const content = html`${faultSummary(text.notSaved, faults)}
    <section class="sheet">${renderFacts(visit, member, presence)}</section>
    <section class="sheet">
      <h2>${text.permissions}</h2>
      ${
        isOwn
          ? html`${note('warn', text.you)}
              <div class="stack">${permissionBoxes(language, member.permissions, new Set())}</div>`
          : html`<form
              class="stack"
              method="post"
              action="${visit.path(`/members/${id}/permissions`)}"
            >
              ${visit.formToken} ${seenPermissions(member.permissions)}
              ${permissionBoxes(language, tickedOf(visit, member, refused), visit.permissions)}
              <div class="actions">${submitButton(text.save)}</div>
            </form>`
      }
    </section>
    <section class="sheet">
      <h2>${text.access}</h2>
      <p>${member.isActive ? text.deactivateText : text.activateText}</p>
      ${
        member.isActive
          ? linkButton({
              href: visit.path(`/members/${id}/deactivate`),
              label: text.deactivate,
              kind: 'danger',
            })
          : actionButton(visit, {
              action: visit.path(`/members/${id}/activate`),
              label: text.activate,
              kind: 'first',
            })
      }
    </section>`;
  return showPage({
    title: name,
    section: 'members',
    back: { href: visit.path('/members'), label: text.back },
    status: refused === null ? 200 : STATUS_OF[refused.kind],
    content,
  });
}

function reasonOf(refused: Refused, member: Member, language: Language): string {
  const text = WORDS[language];
  switch (refused.kind) {
    case 'last_manager':
      return text.lastManager;
    case 'changed_meanwhile':
      return text.meanwhile(permissionsInWords(member.permissions, language));
    case 'own_permissions':
      return text.you;
    case 'not_held':
      return notHeldSentence(refused.missing ?? [], language);
  }
}

/** What was chosen, where the member may choose; the other boxes are as they are. */
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
  const text = WORDS[language];
  const { id, email } = member.account;
  const lastSeenAt = presence?.lastSeenAt ?? null;
  return html`${facts([
      [text.email, email],
      [text.state, member.isActive ? badge(text.active, 'good') : badge(text.inactive, 'warn')],
      [text.lastSeen, lastSeenAt === null ? text.notKnown : format.ago(lastSeenAt)],
      [text.passkeys, format.number(presence?.passkeys ?? 0)],
    ])}
    <p class="actions">
      <a href="${visit.path(`/audit?who=member:${id}`)}">${text.audit}</a>
      <a href="${visit.path(`/audit?about=${id}`)}">${text.about}</a>
    </p>`;
}
