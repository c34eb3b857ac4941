import { listConnections, type ConnectionDetails } from '../webhooks/connection-details.ts';
import { type Command, listResult } from './command.ts';
import { shopCommand } from './shop.ts';

/** The maximum number of connections that the command lists. A shop has tens of them. */
const LISTED_MAX = 1_000;

export const connectionList: Command = shopCommand({
  name: 'connection list',
  summary:
    'List the connections of a shop with the state of their webhooks. Includes ended connections.',
  options: {},
  async run(_args, { db, clock, shop }, { tell }) {
    const page = { afterId: null, limit: LISTED_MAX + 1, status: null };
    const found = await listConnections(db, shop.id, page, clock.now());
    if (found.length > LISTED_MAX) {
      tell(`cardport: only the first ${LISTED_MAX} connections are listed`);
    }
    const toLine = ({ id, clientId, appName, status, webhook }: ListedConnection): string =>
      `${id}  ${clientId}  ${status.padEnd('revoked'.length)}  ${textOf(webhook)}  ${appName}`;
    const connections = found.slice(0, LISTED_MAX).map(toListed);
    return listResult('connections', connections, toLine, 'There are no connections yet.');
  },
});

/** Only the URL's origin is shown, because its path and query may contain a secret of the app. */
interface ListedWebhook {
  readonly origin: string;
  readonly state: string;
  readonly failures: number;
  readonly failingSince: string | null;
  /** Why the newest attempt failed; null if it did not fail. */
  readonly lastError: string | null;
  /** The status of the newest attempt's response. */
  readonly lastStatus: number | null;
}

interface ListedConnection {
  readonly id: string;
  readonly clientId: string;
  readonly appName: string;
  readonly status: string;
  readonly webhook: ListedWebhook | null;
}

function toListed({ id, app, status, webhook }: ConnectionDetails): ListedConnection {
  return {
    id,
    clientId: app.clientId,
    appName: app.name,
    status,
    webhook:
      webhook === null
        ? null
        : {
            origin: new URL(webhook.url).origin,
            state: webhook.state,
            failures: webhook.failures,
            failingSince: webhook.failingSince?.toISOString() ?? null,
            lastError: webhook.lastAttempt?.error ?? null,
            lastStatus: webhook.lastAttempt?.status ?? null,
          },
  };
}

function textOf(webhook: ListedWebhook | null): string {
  if (webhook === null) return 'no webhook';
  const { origin, state, failures, lastError, lastStatus } = webhook;
  if (failures === 0) return `${origin} ${state}`;
  return `${origin} ${state}, ${failures} failed: ${[lastError, lastStatus].filter((part) => part !== null).join(' ')}`;
}
