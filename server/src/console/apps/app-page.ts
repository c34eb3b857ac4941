import { html } from 'hono/html';
import type { App } from '../../apps/app.ts';
import { type AppSecret, listAppSecrets } from '../../apps/app-secret.ts';
import {
  type ConnectionOfApp,
  listConnectionsOfApp,
} from '../../connections/connections-of-app.ts';
import { isAppApproved } from '../../grants/approval-in-force.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { findConnection, type ShownConnection } from '../../webhooks/shown-connection.ts';
import { NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actionButton, linkButton } from '../parts/button.ts';
import { emptyState, facts, note } from '../parts/notes.ts';
import type { SectionRoutes } from '../section.ts';
import type { Visit } from '../visit.ts';
import { findAppOfVisit } from './app-of-shop.ts';
import { copyableValue, developerBlock } from './developer-lines.ts';
import { healthBadge, healthOf, lagText, lastReadText } from './health.ts';
import { scopeList } from './scope-words.ts';
import { renderWebhookState } from './webhook-state.ts';

interface Words {
  readonly apps: string;
  readonly edit: string;
  readonly disabled: string;
  readonly connection: string;
  readonly none: string;
  readonly noneText: string;
  readonly by: string;
  readonly since: string;
  readonly lag: string;
  readonly lastRead: string;
  readonly webhook: string;
  readonly open: string;
  readonly past: string;
  readonly approvals: string;
  readonly sees: string;
  readonly cost: string;
  readonly costYes: string;
  readonly costNo: string;
  readonly registration: string;
  readonly clientId: string;
  readonly contact: string;
  readonly noContact: string;
  readonly uris: string;
  readonly registered: string;
  readonly lines: string;
  readonly linesText: string;
  readonly secrets: string;
  readonly secretsText: (count: number) => string;
  readonly change: string;
  readonly end: string;
  readonly disable: string;
  readonly disableText: string;
  readonly enable: string;
  readonly enableText: string;
  readonly remove: string;
  readonly removeText: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    apps: 'Apps',
    edit: 'Edit',
    disabled:
      'This app is disabled: it can read nothing and is told nothing. Its connection is kept, and goes on where it was when you enable it.',
    connection: 'Connection',
    none: 'Not connected',
    noneText:
      'A member connects it from within the app: there he or she chooses to connect, signs in here and approves.',
    by: 'Connected by',
    since: 'Connected',
    lag: 'Lag',
    lastRead: 'Last read',
    webhook: 'Webhook',
    open: 'Connection and notices',
    past: 'All connections of this app',
    approvals: 'Approvals',
    sees: 'What it may ask for',
    cost: 'Cost',
    costYes: 'Shared, if the member who approves may see costs',
    costNo: 'Not shared',
    registration: 'Registration',
    clientId: 'Client id',
    contact: 'Contact',
    noContact: 'None',
    uris: 'Redirect URIs',
    registered: 'Registered',
    lines: 'Lines for the developer',
    linesText: 'All that the app needs besides its secret:',
    secrets: 'Secrets',
    secretsText: (count) =>
      count === 1
        ? 'One secret is in use. If it may have leaked, or somebody who knew it has left, change it without a break.'
        : 'Two secrets are in use: a change-over is under way. Remove the old one when the app uses the new one.',
    change: 'Change the secret',
    end: 'Disable or delete',
    disable: 'Disable',
    disableText: 'For a while: the app can do nothing until you enable it again.',
    enable: 'Enable',
    enableText: 'Lets the app go on where it was.',
    remove: 'Delete',
    removeText: 'For good: connections, approvals and secrets end at once.',
  },
  ja: {
    apps: 'アプリ',
    edit: '編集',
    disabled:
      'このアプリは無効です。何も読み取れず、通知も届きません。接続は保持されており、有効にすると続きから再開します。',
    connection: '接続',
    none: '接続されていません',
    noneText:
      '接続はアプリの画面から始めます。アプリで「接続」を選び、こちらにログインして承認してください。',
    by: '接続したメンバー',
    since: '接続日時',
    lag: '遅れ',
    lastRead: '最終読み取り',
    webhook: 'Webhook',
    open: '接続と通知の詳細',
    past: 'このアプリのすべての接続',
    approvals: '承認の履歴',
    sees: '求めることのできる権限',
    cost: '原価',
    costYes: '共有する（承認するメンバーに原価の閲覧権限がある場合）',
    costNo: '共有しない',
    registration: '登録内容',
    clientId: 'クライアント ID',
    contact: '連絡先',
    noContact: 'なし',
    uris: 'リダイレクト URI',
    registered: '登録日時',
    lines: '開発者向けの設定',
    linesText: 'シークレット以外に必要なものです。',
    secrets: 'シークレット',
    secretsText: (count) =>
      count === 1
        ? 'シークレットは 1 つです。漏れたおそれがあるときや、知っている人が離れたときは、止めずに切り替えられます。'
        : 'シークレットが 2 つあり、切り替えの途中です。アプリが新しい方を使い始めたら、古い方を削除してください。',
    change: 'シークレットを変更',
    end: '無効化・削除',
    disable: '無効にする',
    disableText: '一時的に止めます。再び有効にするまで、アプリは何もできません。',
    enable: '有効にする',
    enableText: 'アプリは続きから再開します。',
    remove: '削除する',
    removeText: '元に戻せません。接続・承認・シークレットはすぐに無効になります。',
  },
};

/** Mounts the page of one app. */
export function mountAppPage(routes: SectionRoutes, { db, publicUrl }: ConsoleDeps): void {
  routes.page('/apps/:clientId', 'integrations.manage', async (visit) => {
    const app = await findAppOfVisit(db, visit);
    if (app === undefined) return NOT_FOUND;
    const { shop, now, language } = visit;
    const { clientId, scopes } = app;
    const [[newest], secrets, isApproved] = await Promise.all([
      listConnectionsOfApp(db, shop.id, clientId, { before: null, limit: 1 }),
      listAppSecrets(db, shop.id, clientId),
      isAppApproved(db, shop.id, clientId, now),
    ]);
    const connection = await findActive(newest, async (id) => findConnection(db, shop.id, id, now));
    const text = WORDS[language];
    const path = visit.path(`/apps/${clientId}`);
    const facts = healthFacts(connection, isApproved);
    const health = healthOf({ isEnabled: app.isEnabled, connection: facts }, now);
    return showPage({
      title: app.name,
      section: 'apps',
      back: { href: visit.path('/apps'), label: text.apps },
      tools: html`${healthBadge(health, language)}
      ${linkButton({ href: `${path}/edit`, label: text.edit })}`,
      content: html`${app.isEnabled ? '' : note('warn', text.disabled)}
        <div class="grid two">
          ${renderConnection(visit, path, connection, newest !== undefined)}
          ${renderSecrets(text, path, secrets)}
        </div>
        ${renderAllowed(visit, app)} ${renderRegistration(visit, app)}
        <section class="sheet">
          <h2>${text.lines}</h2>
          <p>${text.linesText}</p>
          ${developerBlock({ publicUrl, clientId, clientSecret: null, scopes }, language)}
        </section>
        ${renderEnd(visit, app, path)}`,
    });
  });
}

async function findActive(
  newest: ConnectionOfApp | undefined,
  find: (id: string) => Promise<ShownConnection | undefined>,
): Promise<ShownConnection | undefined> {
  // An active one is the newest of its app.
  return newest?.status === 'active' ? await find(newest.id) : undefined;
}

function healthFacts(
  connection: ShownConnection | undefined,
  isApproved: boolean,
): Parameters<typeof healthOf>[0]['connection'] {
  if (connection === undefined) return null;
  const { connectedAt, lag, webhook } = connection;
  return {
    connectedAt,
    isApproved,
    lagChanges: lag.changes,
    lastReadAt: lag.lastReadAt,
    failingSince: webhook?.failingSince ?? null,
  };
}

function renderConnection(
  visit: Visit,
  path: string,
  connection: ShownConnection | undefined,
  wasConnected: boolean,
): Markup {
  const { language, format } = visit;
  const text = WORDS[language];
  const links = html`<div class="actions">
    ${connection === undefined ? '' : linkButton({ href: visit.path(`/connections/${connection.id}`), label: text.open, kind: 'first' })}
    ${wasConnected ? linkButton({ href: `${path}/connections`, label: text.past }) : ''}
  </div>`;
  if (connection === undefined) {
    return html`<section class="sheet">
      <h2>${text.connection}</h2>
      ${emptyState(text.none, text.noneText)} ${links}
    </section>`;
  }
  const { user, connectedAt, lag } = connection;
  const lagFacts = { lagChanges: lag.changes, lastReadAt: lag.lastReadAt };
  return html`<section class="sheet">
    <h2>${text.connection}</h2>
    ${facts([
      [text.by, user.name],
      [text.since, format.dateTime(connectedAt)],
      [text.lag, lagText(lagFacts, format)],
      [text.lastRead, lastReadText(lag.lastReadAt, format)],
      [text.webhook, renderWebhookState(connection, format)],
    ])}
    ${links}
  </section>`;
}

function renderSecrets(text: Words, path: string, secrets: readonly AppSecret[]): Markup {
  return html`<section class="sheet">
    <h2>${text.secrets}</h2>
    <p>${text.secretsText(secrets.length)}</p>
    <div class="actions">${linkButton({ href: `${path}/secrets`, label: text.change })}</div>
  </section>`;
}

function renderAllowed(visit: Visit, app: App): Markup {
  const { language } = visit;
  const text = WORDS[language];
  return html`<section class="sheet">
    <h2>${text.sees}</h2>
    ${scopeList(app.scopes, language)}
    ${facts([[text.cost, app.sharesCost ? text.costYes : text.costNo]])}
  </section>`;
}

function renderRegistration(visit: Visit, app: App): Markup {
  const { language, format } = visit;
  const text = WORDS[language];
  const { clientId, contactEmail, redirectUris, createdAt } = app;
  const contact =
    contactEmail === null
      ? html`<span class="soft">${text.noContact}</span>`
      : html`<a href="mailto:${contactEmail}">${contactEmail}</a>`;
  return html`<section class="sheet">
    <h2>${text.registration}</h2>
    ${facts([
      [text.clientId, copyableValue(clientId, language, text.clientId)],
      [text.contact, contact],
      [text.registered, format.dateTime(createdAt)],
      [
        text.uris,
        html`<ul class="plain-list">
          ${redirectUris.map((uri) => html`<li><code>${uri}</code></li>`)}
        </ul>`,
      ],
    ])}
    <div class="actions">
      ${linkButton({ href: `${visit.path('/apps/approvals')}?app=${clientId}`, label: text.approvals })}
    </div>
  </section>`;
}

function renderEnd(visit: Visit, app: App, path: string): Markup {
  const text = WORDS[visit.language];
  const toggle = app.isEnabled
    ? html`<p>${text.disableText}</p>
        ${linkButton({ href: `${path}/disable`, label: text.disable })}`
    : html`<p>${text.enableText}</p>
        ${actionButton(visit, { action: `${path}/enable`, label: text.enable })}`;
  return html`<section class="sheet">
    <h2>${text.end}</h2>
    <div class="grid two">
      <div>${toggle}</div>
      <div>
        <p>${text.removeText}</p>
        ${linkButton({ href: `${path}/delete`, label: text.remove, kind: 'danger' })}
      </div>
    </div>
  </section>`;
}
