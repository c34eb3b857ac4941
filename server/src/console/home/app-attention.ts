import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import type { AppCare, ConnectionCare } from '../../webhooks/app-care.ts';
import type { RemovalReason } from '../../webhooks/registration.ts';
import { errorText } from '../apps/attempt-words.ts';
import { lagText } from '../apps/health.ts';
import { removalText } from '../apps/webhook-state.ts';
import type { Visit } from '../visit.ts';
import { type AttentionGroup, type AttentionItem, groupItems } from './attention.ts';

const DAY_MS = 24 * 3_600_000;
/** An app that has not read for so long while changes wait: those that poll once a night are not among them. */
const BEHIND_AFTER_MS = DAY_MS;
/** How long a webhook that was removed is told of: who has not registered another by then does without. */
const REMOVED_SHOWN_MS = 30 * DAY_MS;
/** Reasons for which nobody has decided that the webhook goes. */
const UNWANTED: ReadonlySet<RemovalReason> = new Set(['gone', 'failing']);

interface Words {
  readonly unapproved: (app: string) => string;
  readonly unapprovedDetail: string;
  readonly fails: (app: string) => string;
  readonly since: string;
  readonly next: string;
  readonly removed: (app: string) => string;
  readonly behind: (app: string) => string;
  readonly lastRead: string;
  readonly disabled: (app: string) => string;
  readonly disabledDetail: string;
  readonly secrets: (app: string) => string;
  readonly secretsDetail: string;
  readonly newest: string;
  readonly rolled: (app: string) => string;
  readonly rolledUntil: string;
  readonly connection: string;
  readonly app: string;
  /** Of those of a kind that are not shown. */
  readonly more: (count: string) => string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    unapproved: (app) => `${app} needs a new approval`,
    unapprovedDetail: 'Its reads are refused until an active member approves it again',
    fails: (app) => `The webhook of ${app} fails`,
    since: 'First failure ',
    next: 'Next attempt ',
    removed: (app) => `The webhook of ${app} was removed`,
    behind: (app) => `${app} lies behind`,
    lastRead: 'Last read ',
    disabled: (app) => `${app} is disabled`,
    disabledDetail: 'It reads nothing and is told nothing until it is enabled',
    secrets: (app) => `${app} has two secrets`,
    secretsDetail: 'Remove the old one when the app uses the new one',
    newest: 'The new one was made ',
    rolled: (app) => `${app} has a new webhook secret`,
    rolledUntil: 'The old one still signs too, and ends ',
    connection: 'Show the connection',
    app: 'Show the app',
    more: (count) => (count === '1' ? 'Another app' : `${count} more apps`),
  },
  ja: {
    unapproved: (app) => `「${app}」には再承認が必要です`,
    unapprovedDetail: '有効なメンバーが再承認するまで、読み取りは拒否されます',
    fails: (app) => `「${app}」の Webhook が失敗しています`,
    since: '最初の失敗：',
    next: '次の送信：',
    removed: (app) => `「${app}」の Webhook が削除されました`,
    behind: (app) => `「${app}」の読み取りが遅れています`,
    lastRead: '最終読み取り：',
    disabled: (app) => `「${app}」は無効です`,
    disabledDetail: '有効にするまで、読み取りも通知も行われません',
    secrets: (app) => `「${app}」にシークレットが 2 つあります`,
    secretsDetail: 'アプリが新しい方を使い始めたら、古い方を削除してください',
    newest: '新しい方の作成：',
    rolled: (app) => `「${app}」の Webhook シークレットが更新されました`,
    rolledUntil: '古いシークレットによる署名の終了：',
    connection: '接続を見る',
    app: 'アプリを見る',
    more: (count) => `ほか ${count} 件のアプリ`,
  },
};

type ConnectedApp = AppCare & { readonly connection: ConnectionCare };

/** What wants care about the apps of a shop, by kind. */
export function attentionOfApps(visit: Visit, apps: readonly AppCare[]): AttentionGroup[] {
  const connected = apps.filter((app): app is ConnectedApp => app.connection !== null);
  const told = connected.filter(({ isEnabled }) => isEnabled);
  const kinds = [
    unapproved(visit, told),
    failing(visit, told),
    removed(visit, connected),
    behind(visit, told),
    disabled(visit, apps),
    rolled(visit, told),
    twoSecrets(visit, apps),
  ];
  const text = WORDS[visit.language];
  return kinds.map((items) =>
    groupItems(items, (count) => ({
      title: text.more(visit.format.number(count)),
      href: visit.path('/apps'),
    })),
  );
}

/** Whose reads are all refused: the approving member was deactivated, or lost what the app reads, or the tokens expired. */
function unapproved(visit: Visit, apps: readonly ConnectedApp[]): AttentionItem[] {
  const text = WORDS[visit.language];
  return apps
    .filter(({ connection }) => !connection.isApproved)
    .map((app) => {
      const title = text.unapproved(app.name);
      return { tone: 'bad', title, details: [text.unapprovedDetail], ...toConnection(visit, app) };
    });
}

/** Those that fail longest come first: they are removed first. */
function failing(visit: Visit, apps: readonly ConnectedApp[]): AttentionItem[] {
  const text = WORDS[visit.language];
  const found = apps.flatMap((app) => {
    const { failing: failure } = app.connection;
    return failure === null ? [] : [{ app, failure }];
  });
  found.sort((a, b) => a.failure.since.getTime() - b.failure.since.getTime());
  return found.map(({ app, failure }) => {
    const { since, error, status, nextAttemptAt } = failure;
    const details = [
      html`${text.since}${visit.format.ago(since)}`,
      error === null
        ? ''
        : html`${errorText(error, visit.language)}${status === null ? '' : ` (${status})`}`,
      nextAttemptAt === null ? '' : html`${text.next}${visit.format.ago(nextAttemptAt)}`,
    ];
    return { tone: 'bad', title: text.fails(app.name), details, ...toConnection(visit, app) };
  });
}

function removed(visit: Visit, apps: readonly ConnectedApp[]): AttentionItem[] {
  const { language, now, format } = visit;
  return apps.flatMap((app) => {
    const gone = app.connection.removed;
    if (gone === null || !UNWANTED.has(gone.reason)) return [];
    if (now.getTime() - gone.at.getTime() > REMOVED_SHOWN_MS) return [];
    const details = [removalText(gone.reason, language), format.ago(gone.at)];
    const title = WORDS[language].removed(app.name);
    return [{ tone: 'bad' as const, title, details, ...toConnection(visit, app) }];
  });
}

function behind(visit: Visit, apps: readonly ConnectedApp[]): AttentionItem[] {
  const { format, now } = visit;
  const text = WORDS[visit.language];
  const sinceOf = ({ connection }: ConnectedApp): number =>
    (connection.lastReadAt ?? connection.connectedAt).getTime();
  return apps
    .filter(
      (app) => app.connection.lagChanges > 0 && now.getTime() - sinceOf(app) >= BEHIND_AFTER_MS,
    )
    .toSorted((a, b) => sinceOf(a) - sinceOf(b))
    .map((app) => {
      const { lastReadAt } = app.connection;
      const details = [
        lagText(app.connection, format),
        lastReadAt === null ? '' : html`${text.lastRead}${format.ago(lastReadAt)}`,
      ];
      return { tone: 'warn', title: text.behind(app.name), details, ...toConnection(visit, app) };
    });
}

function disabled(visit: Visit, apps: readonly AppCare[]): AttentionItem[] {
  const text = WORDS[visit.language];
  return apps
    .filter(({ isEnabled }) => !isEnabled)
    .map((app) => {
      const title = text.disabled(app.name);
      return { tone: 'calm', title, details: [text.disabledDetail], ...toApp(visit, app) };
    });
}

function rolled(visit: Visit, apps: readonly ConnectedApp[]): AttentionItem[] {
  const { format, now } = visit;
  const text = WORDS[visit.language];
  return apps.flatMap((app) => {
    const until = app.connection.previousSecretUntil;
    if (until === null || until <= now) return [];
    const details = [html`${text.rolledUntil}${format.ago(until)}`];
    const title = text.rolled(app.name);
    return [{ tone: 'calm' as const, title, details, ...toConnection(visit, app) }];
  });
}

function twoSecrets(visit: Visit, apps: readonly AppCare[]): AttentionItem[] {
  const text = WORDS[visit.language];
  return apps.flatMap((app) => {
    const { secrets, newestSecretAt } = app;
    if (secrets < 2 || newestSecretAt === null) return [];
    const made = html`${text.newest}${visit.format.ago(newestSecretAt)}`;
    const details = [text.secretsDetail, made];
    return [
      { tone: 'calm' as const, title: text.secrets(app.name), details, ...toApp(visit, app) },
    ];
  });
}

function toConnection(
  visit: Visit,
  { connection }: ConnectedApp,
): Pick<AttentionItem, 'href' | 'link'> {
  const href = visit.path(`/connections/${connection.connectionId}`);
  return { href, link: WORDS[visit.language].connection };
}

function toApp(visit: Visit, { clientId }: AppCare): Pick<AttentionItem, 'href' | 'link'> {
  return { href: visit.path(`/apps/${clientId}`), link: WORDS[visit.language].app };
}
