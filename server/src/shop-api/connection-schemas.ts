import { Type, type TSchema } from 'typebox';
import { DateTime, orNull, refTo, Uri, Uuid } from '../base/schema.ts';
import { ATTEMPT_ERRORS } from '../webhooks/attempt.ts';
import { CONNECTION_STATUSES, WEBHOOK_STATES } from '../webhooks/connection-details.ts';

// Known values are in the description: a new value of an enum would break strict clients.

function openSet(values: readonly string[], description: string): TSchema {
  return Type.String({
    description: `${description} Known values: ${values.join(', ')}. More may be added.`,
  });
}

const attempt = Type.Object({
  number: Type.Integer({
    minimum: 1,
    description: 'The number of this attempt within the connection.',
  }),
  eventId: Uuid,
  attempt: Type.Integer({
    minimum: 1,
    description: 'The number of this attempt to deliver the event, starting at 1.',
  }),
  startedAt: DateTime,
  result: openSet(['in_progress', 'delivered', 'failed'], 'The result of the attempt.'),
  status: orNull(
    Type.Integer({
      description: 'The HTTP status of the response. Null if there was no response.',
    }),
  ),
  error: orNull(openSet(ATTEMPT_ERRORS, 'Why the attempt failed.')),
  latencyMs: orNull(
    Type.Integer({
      minimum: 0,
      description:
        'The time until the response or the failure. Null while the attempt is in progress, or if the worker died.',
    }),
  ),
});

const webhook = Type.Object({
  url: Uri,
  createdAt: DateTime,
  state: openSet(WEBHOOK_STATES, 'The state of the webhook.'),
  failingSince: orNull(DateTime),
  failures: Type.Integer({
    minimum: 0,
    description: 'The number of failures since the last success.',
  }),
  nextAttemptAt: orNull(DateTime),
  lastAttempt: orNull(refTo('Attempt')),
});

const removedWebhook = Type.Object({
  url: Uri,
  removedAt: DateTime,
  reason: openSet(
    ['app', 'gone', 'failing', 'redirect_uri', 'connection_ended'],
    'Why the webhook was removed.',
  ),
});

const lag = Type.Object({
  changes: Type.Integer({
    format: 'int64',
    minimum: 0,
    description:
      'How far the app’s last cursor is behind the head of the feed. If the app has never read the feed, this is the length of the feed.',
  }),
  lastReadAt: orNull(DateTime),
  minutesSinceRead: orNull(Type.Integer({ minimum: 0 })),
});

const connection = Type.Object({
  id: Uuid,
  status: openSet(CONNECTION_STATUSES, 'The status of the connection.'),
  app: Type.Object({
    clientId: Type.String(),
    name: Type.String(),
    isEnabled: Type.Boolean(),
  }),
  user: Type.Object({
    id: Uuid,
    name: Type.String(),
    email: Type.String({ format: 'email' }),
  }),
  connectedAt: DateTime,
  endedAt: orNull(DateTime),
  endReason: orNull(
    openSet(
      ['app', 'shop', 'app_deleted', 'token_revoked', 'shop_closed'],
      'Why the connection ended.',
    ),
  ),
  webhook: orNull(webhook),
  removedWebhook: orNull(removedWebhook),
  lag,
});

const testDelivery = Type.Object({ eventId: Uuid });

/** The keys are the names in the OpenAPI document. */
export const connectionSchemas = {
  Connection: connection,
  Attempt: attempt,
  AskedNotice: testDelivery,
} satisfies Readonly<Record<string, TSchema>>;
