import { html } from 'hono/html';
import type { AppCare, ConnectionCare } from '../../webhooks/app-care.ts';
import type { RemovalReason } from '../../webhooks/registration.ts';
import { lagText } from '../parts/app-health.ts';
import { errorText } from '../parts/attempt-words.ts';
import { removalText } from '../parts/webhook-state.ts';
import type { Visit } from '../visit.ts';
import { type AttentionGroup, type AttentionItem, groupItems } from './attention.ts';
import { appAttentionMessages } from './messages.ts';

const DAY_MS = 24 * 3_600_000;
/**
 * Behind on Home: no read for a day while changes wait, so that apps that poll once a night do not
 * appear.
 */
const BEHIND_AFTER_MS = DAY_MS;
/**
 * How long Home reports a removed webhook. An app that registered no other by then works without
 * one.
 */
const REMOVED_SHOWN_MS = 30 * DAY_MS;
/** Removals that no person decided on. */
const UNWANTED: ReadonlySet<RemovalReason> = new Set(['gone', 'failing']);

type ConnectedApp = AppCare & { readonly connection: ConnectionCare };

/** What needs attention in the apps of a shop, by kind. */
export function attentionOfApps(visit: Visit, apps: readonly AppCare[]): AttentionGroup[] {
  const connected = apps.filter((app): app is ConnectedApp => app.connection !== null);
  const told = connected.filter(({ isEnabled }) => isEnabled);
  const messages = appAttentionMessages[visit.language];
  const kinds = [
    told.flatMap((app) => unapproved(visit, app)),
    told.toSorted((a, b) => failingSince(a) - failingSince(b)).flatMap((app) => fails(visit, app)),
    connected.flatMap((app) => removed(visit, app)),
    told.toSorted((a, b) => readAt(a) - readAt(b)).flatMap((app) => behind(visit, app)),
    apps.flatMap((app) => disabled(visit, app)),
    told.flatMap((app) => rolled(visit, app)),
    apps.flatMap((app) => twoSecrets(visit, app)),
  ];
  return kinds.map((items) =>
    groupItems(items, (count) => ({
      title: messages.more(visit.format.number(count)),
      href: visit.path('/apps'),
    })),
  );
}

/** Longest failing first, because those webhooks are removed first. */
function failingSince({ connection }: ConnectedApp): number {
  return connection.failingSince?.getTime() ?? 0;
}

function readAt({ connection }: ConnectedApp): number {
  return (connection.lastReadAt ?? connection.connectedAt).getTime();
}

/**
 * All reads are refused: the approving member was deactivated or lost a permission, or the tokens
 * expired.
 */
function unapproved(visit: Visit, app: ConnectedApp): AttentionItem[] {
  if (app.connection.isApproved) return [];
  const messages = appAttentionMessages[visit.language];
  const title = messages.unapproved(app.name);
  return ofConnection(visit, app, { tone: 'bad', title, details: [messages.unapprovedDetail] });
}

function fails(visit: Visit, app: ConnectedApp): AttentionItem[] {
  const { failingSince: since, failure } = app.connection;
  if (since === null || failure === null) return [];
  const { language, format } = visit;
  const messages = appAttentionMessages[language];
  const { error, status, nextAttemptAt } = failure;
  const answered = status === null ? '' : ` (${status})`;
  const details = [
    html`${messages.since}${format.ago(since)}`,
    error === null ? '' : html`${errorText(error, language)}${answered}`,
    nextAttemptAt === null ? '' : html`${messages.next}${format.ago(nextAttemptAt)}`,
  ];
  return ofConnection(visit, app, { tone: 'bad', title: messages.fails(app.name), details });
}

function removed(visit: Visit, app: ConnectedApp): AttentionItem[] {
  const { language, now, format } = visit;
  const gone = app.connection.removed;
  if (gone === null || !UNWANTED.has(gone.reason)) return [];
  if (now.getTime() - gone.at.getTime() > REMOVED_SHOWN_MS) return [];
  const details = [removalText(gone.reason, language), format.ago(gone.at)];
  const title = appAttentionMessages[language].removed(app.name);
  return ofConnection(visit, app, { tone: 'bad', title, details });
}

function behind(visit: Visit, app: ConnectedApp): AttentionItem[] {
  const { language, format, now } = visit;
  const { lagChanges, lastReadAt } = app.connection;
  if (lagChanges === 0 || now.getTime() - readAt(app) < BEHIND_AFTER_MS) return [];
  const messages = appAttentionMessages[language];
  const details = [
    lagText(app.connection, format),
    lastReadAt === null ? '' : html`${messages.lastRead}${format.ago(lastReadAt)}`,
  ];
  return ofConnection(visit, app, { tone: 'warn', title: messages.behind(app.name), details });
}

function disabled(visit: Visit, app: AppCare): AttentionItem[] {
  if (app.isEnabled) return [];
  const messages = appAttentionMessages[visit.language];
  return ofApp(visit, app, messages.disabled(app.name), [messages.disabledDetail]);
}

function rolled(visit: Visit, app: ConnectedApp): AttentionItem[] {
  const until = app.connection.previousSecretUntil;
  if (until === null || until <= visit.now) return [];
  const messages = appAttentionMessages[visit.language];
  const details = [html`${messages.rolledUntil}${visit.format.ago(until)}`];
  return ofConnection(visit, app, { tone: 'calm', title: messages.rolled(app.name), details });
}

function twoSecrets(visit: Visit, app: AppCare): AttentionItem[] {
  const { secrets, newestSecretAt, name } = app;
  if (secrets < 2 || newestSecretAt === null) return [];
  const messages = appAttentionMessages[visit.language];
  const made = html`${messages.newest}${visit.format.ago(newestSecretAt)}`;
  return ofApp(visit, app, messages.secrets(name), [messages.secretsDetail, made]);
}

function ofConnection(
  visit: Visit,
  { connection }: ConnectedApp,
  item: Pick<AttentionItem, 'tone' | 'title' | 'details'>,
): AttentionItem[] {
  const href = visit.path(`/connections/${connection.connectionId}`);
  return [{ ...item, href, link: appAttentionMessages[visit.language].connection }];
}

function ofApp(
  visit: Visit,
  { clientId }: AppCare,
  title: string,
  details: AttentionItem['details'],
): AttentionItem[] {
  const link = appAttentionMessages[visit.language].app;
  return [{ tone: 'calm', title, details, href: visit.path(`/apps/${clientId}`), link }];
}
