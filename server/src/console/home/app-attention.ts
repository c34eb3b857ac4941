import { html } from 'hono/html';
import type { AppCare, ConnectionCare } from '../../webhooks/app-care.ts';
import type { RemovalReason } from '../../webhooks/registration.ts';
import { errorText } from '../apps/attempt-words.ts';
import { lagText } from '../apps/health.ts';
import { removalText } from '../apps/webhook-state.ts';
import type { Visit } from '../visit.ts';
import { type AttentionGroup, type AttentionItem, groupItems } from './attention.ts';
import { appAttentionMessages } from './messages.ts';

const DAY_MS = 24 * 3_600_000;
/** An app that has not read for so long while changes wait: those that poll once a night are not among them. */
const BEHIND_AFTER_MS = DAY_MS;
/** How long a webhook that was removed is told of: who has not registered another by then does without. */
const REMOVED_SHOWN_MS = 30 * DAY_MS;
/** Reasons for which nobody has decided that the webhook goes. */
const UNWANTED: ReadonlySet<RemovalReason> = new Set(['gone', 'failing']);

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
  const messages = appAttentionMessages[visit.language];
  return kinds.map((items) =>
    groupItems(items, (count) => ({
      title: messages.more(visit.format.number(count)),
      href: visit.path('/apps'),
    })),
  );
}

/** Whose reads are all refused: the approving member was deactivated, or lost what the app reads, or the tokens expired. */
function unapproved(visit: Visit, apps: readonly ConnectedApp[]): AttentionItem[] {
  const messages = appAttentionMessages[visit.language];
  return apps
    .filter(({ connection }) => !connection.isApproved)
    .map((app) => {
      const title = messages.unapproved(app.name);
      return {
        tone: 'bad',
        title,
        details: [messages.unapprovedDetail],
        ...toConnection(visit, app),
      };
    });
}

/** Those that fail longest come first: they are removed first. */
function failing(visit: Visit, apps: readonly ConnectedApp[]): AttentionItem[] {
  const messages = appAttentionMessages[visit.language];
  const found = apps.flatMap((app) => {
    const { failingSince: since, failure } = app.connection;
    return since === null || failure === null ? [] : [{ app, since, failure }];
  });
  found.sort((a, b) => a.since.getTime() - b.since.getTime());
  return found.map(({ app, since, failure }) => {
    const { error, status, nextAttemptAt } = failure;
    const details = [
      html`${messages.since}${visit.format.ago(since)}`,
      error === null
        ? ''
        : html`${errorText(error, visit.language)}${status === null ? '' : ` (${status})`}`,
      nextAttemptAt === null ? '' : html`${messages.next}${visit.format.ago(nextAttemptAt)}`,
    ];
    return { tone: 'bad', title: messages.fails(app.name), details, ...toConnection(visit, app) };
  });
}

function removed(visit: Visit, apps: readonly ConnectedApp[]): AttentionItem[] {
  const { language, now, format } = visit;
  return apps.flatMap((app) => {
    const gone = app.connection.removed;
    if (gone === null || !UNWANTED.has(gone.reason)) return [];
    if (now.getTime() - gone.at.getTime() > REMOVED_SHOWN_MS) return [];
    const details = [removalText(gone.reason, language), format.ago(gone.at)];
    const title = appAttentionMessages[language].removed(app.name);
    return [{ tone: 'bad' as const, title, details, ...toConnection(visit, app) }];
  });
}

function behind(visit: Visit, apps: readonly ConnectedApp[]): AttentionItem[] {
  const { format, now } = visit;
  const messages = appAttentionMessages[visit.language];
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
        lastReadAt === null ? '' : html`${messages.lastRead}${format.ago(lastReadAt)}`,
      ];
      return {
        tone: 'warn',
        title: messages.behind(app.name),
        details,
        ...toConnection(visit, app),
      };
    });
}

function disabled(visit: Visit, apps: readonly AppCare[]): AttentionItem[] {
  const messages = appAttentionMessages[visit.language];
  return apps
    .filter(({ isEnabled }) => !isEnabled)
    .map((app) => {
      const title = messages.disabled(app.name);
      return { tone: 'calm', title, details: [messages.disabledDetail], ...toApp(visit, app) };
    });
}

function rolled(visit: Visit, apps: readonly ConnectedApp[]): AttentionItem[] {
  const { format, now } = visit;
  const messages = appAttentionMessages[visit.language];
  return apps.flatMap((app) => {
    const until = app.connection.previousSecretUntil;
    if (until === null || until <= now) return [];
    const details = [html`${messages.rolledUntil}${format.ago(until)}`];
    const title = messages.rolled(app.name);
    return [{ tone: 'calm' as const, title, details, ...toConnection(visit, app) }];
  });
}

function twoSecrets(visit: Visit, apps: readonly AppCare[]): AttentionItem[] {
  const messages = appAttentionMessages[visit.language];
  return apps.flatMap((app) => {
    const { secrets, newestSecretAt } = app;
    if (secrets < 2 || newestSecretAt === null) return [];
    const made = html`${messages.newest}${visit.format.ago(newestSecretAt)}`;
    const details = [messages.secretsDetail, made];
    return [
      { tone: 'calm' as const, title: messages.secrets(app.name), details, ...toApp(visit, app) },
    ];
  });
}

function toConnection(
  visit: Visit,
  { connection }: ConnectedApp,
): Pick<AttentionItem, 'href' | 'link'> {
  const href = visit.path(`/connections/${connection.connectionId}`);
  return { href, link: appAttentionMessages[visit.language].connection };
}

function toApp(visit: Visit, { clientId }: AppCare): Pick<AttentionItem, 'href' | 'link'> {
  return { href: visit.path(`/apps/${clientId}`), link: appAttentionMessages[visit.language].app };
}
