import { html } from 'hono/html';
import type { AppOverview, ConnectionOverview } from '../../webhooks/app-overview.ts';
import type { RemovalReason } from '../../webhooks/registration.ts';
import { lagText } from '../parts/app-health.ts';
import { errorText } from '../parts/attempt-text.ts';
import { removalText } from '../parts/webhook-state.ts';
import type { RequestContext } from '../request-context.ts';
import { type AttentionGroup, type AttentionItem, groupItems } from './attention.ts';
import { appAttentionMessages } from './messages.ts';

const DAY_MS = 24 * 3_600_000;
/**
 * Home reports an app as behind if changes wait and the app has not read the change feed for this
 * long. An app that polls once a night is therefore not reported.
 */
const BEHIND_AFTER_MS = DAY_MS;
/**
 * How long Home reports a removed webhook. An app that has registered no new webhook by then does
 * not depend on webhooks.
 */
const REMOVED_SHOWN_MS = 30 * DAY_MS;
/** The reasons for which the service removes a webhook automatically. */
const AUTOMATIC_REMOVALS: ReadonlySet<RemovalReason> = new Set(['gone', 'failing']);

type ConnectedApp = AppOverview & { readonly connection: ConnectionOverview };

export function attentionOfApps(
  context: RequestContext,
  apps: readonly AppOverview[],
): AttentionGroup[] {
  const connected = apps.filter((app): app is ConnectedApp => app.connection !== null);
  const enabled = connected.filter(({ isEnabled }) => isEnabled);
  const messages = appAttentionMessages[context.language];
  const kinds = [
    enabled.flatMap((app) => checkApproval(context, app)),
    enabled
      .toSorted((a, b) => failingSinceMs(a) - failingSinceMs(b))
      .flatMap((app) => checkWebhookFailure(context, app)),
    connected.flatMap((app) => checkWebhookRemoval(context, app)),
    enabled
      .toSorted((a, b) => lastReadMs(a) - lastReadMs(b))
      .flatMap((app) => checkLag(context, app)),
    apps.flatMap((app) => checkDisabled(context, app)),
    enabled.flatMap((app) => checkSecretRotation(context, app)),
    apps.flatMap((app) => checkAppSecrets(context, app)),
  ];
  return kinds.map((items) =>
    groupItems(items, (count) => ({
      title: messages.more(context.format.number(count)),
      href: context.shopPath('/apps'),
    })),
  );
}

/** Puts the webhook that has failed longest first, because it is removed first. */
function failingSinceMs({ connection }: ConnectedApp): number {
  return connection.failingSince?.getTime() ?? 0;
}

function lastReadMs({ connection }: ConnectedApp): number {
  return (connection.lastReadAt ?? connection.connectedAt).getTime();
}

/**
 * Reports an app if all its reads are refused because the approving member was deactivated or lost
 * a permission, or because the tokens expired.
 */
function checkApproval(context: RequestContext, app: ConnectedApp): AttentionItem[] {
  if (app.connection.isApproved) return [];
  const messages = appAttentionMessages[context.language];
  const title = messages.unapproved(app.name);
  return connectionItem(context, app, { tone: 'bad', title, details: [messages.unapprovedDetail] });
}

function checkWebhookFailure(context: RequestContext, app: ConnectedApp): AttentionItem[] {
  const { failingSince: since, failure } = app.connection;
  if (since === null || failure === null) return [];
  const { language, format } = context;
  const messages = appAttentionMessages[language];
  const { error, status, nextAttemptAt } = failure;
  const statusText = status === null ? '' : ` (${status})`;
  const details = [
    html`${messages.since}${format.ago(since)}`,
    error === null ? '' : html`${errorText(error, language)}${statusText}`,
    nextAttemptAt === null ? '' : html`${messages.next}${format.ago(nextAttemptAt)}`,
  ];
  return connectionItem(context, app, { tone: 'bad', title: messages.fails(app.name), details });
}

function checkWebhookRemoval(context: RequestContext, app: ConnectedApp): AttentionItem[] {
  const { language, now, format } = context;
  const removal = app.connection.removed;
  if (removal === null || !AUTOMATIC_REMOVALS.has(removal.reason)) return [];
  if (now.getTime() - removal.at.getTime() > REMOVED_SHOWN_MS) return [];
  const details = [removalText(removal.reason, language), format.ago(removal.at)];
  const title = appAttentionMessages[language].removed(app.name);
  return connectionItem(context, app, { tone: 'bad', title, details });
}

function checkLag(context: RequestContext, app: ConnectedApp): AttentionItem[] {
  const { language, format, now } = context;
  const { lagChanges, lastReadAt } = app.connection;
  if (lagChanges === 0 || now.getTime() - lastReadMs(app) < BEHIND_AFTER_MS) return [];
  const messages = appAttentionMessages[language];
  const details = [
    lagText(app.connection, format),
    lastReadAt === null ? '' : html`${messages.lastRead}${format.ago(lastReadAt)}`,
  ];
  return connectionItem(context, app, { tone: 'warn', title: messages.behind(app.name), details });
}

function checkDisabled(context: RequestContext, app: AppOverview): AttentionItem[] {
  if (app.isEnabled) return [];
  const messages = appAttentionMessages[context.language];
  return appItem(context, app, messages.disabled(app.name), [messages.disabledDetail]);
}

function checkSecretRotation(context: RequestContext, app: ConnectedApp): AttentionItem[] {
  const until = app.connection.previousSecretUntil;
  if (until === null || until <= context.now) return [];
  const messages = appAttentionMessages[context.language];
  const details = [html`${messages.rolledUntil}${context.format.ago(until)}`];
  return connectionItem(context, app, { tone: 'calm', title: messages.rolled(app.name), details });
}

function checkAppSecrets(context: RequestContext, app: AppOverview): AttentionItem[] {
  const { secrets, newestSecretAt, name } = app;
  if (secrets < 2 || newestSecretAt === null) return [];
  const messages = appAttentionMessages[context.language];
  const made = html`${messages.newest}${context.format.ago(newestSecretAt)}`;
  return appItem(context, app, messages.secrets(name), [messages.secretsDetail, made]);
}

function connectionItem(
  context: RequestContext,
  { connection }: ConnectedApp,
  item: Pick<AttentionItem, 'tone' | 'title' | 'details'>,
): AttentionItem[] {
  const href = context.shopPath(`/connections/${connection.connectionId}`);
  return [{ ...item, href }];
}

function appItem(
  context: RequestContext,
  { clientId }: AppOverview,
  title: string,
  details: AttentionItem['details'],
): AttentionItem[] {
  return [{ tone: 'calm', title, details, href: context.shopPath(`/apps/${clientId}`) }];
}
