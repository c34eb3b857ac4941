import { Type, type TSchema } from 'typebox';
import { DateTime, orNull, refTo, Uri, Uuid } from '../base/schema.ts';
import { ATTEMPT_ERRORS } from '../webhooks/attempt.ts';
import { CONNECTION_STATUSES, WEBHOOK_STATES } from '../webhooks/shown-connection.ts';

// Sets that may grow list their values in the description, so that a new value does not break
// strict clients.

function openSet(values: readonly string[], description: string): TSchema {
  return Type.String({ description: `${description} An open set: ${values.join(', ')}.` });
}

const attempt = Type.Object({
  number: Type.Integer({ minimum: 1, description: 'Counts the attempts of the connection.' }),
  eventId: Uuid,
  attempt: Type.Integer({ minimum: 1, description: 'Counts the attempts of the notice.' }),
  startedAt: DateTime,
  result: openSet(['in_progress', 'delivered', 'failed'], 'What it came to.'),
  status: orNull(Type.Integer({ description: 'The status of the answer; null: none came.' })),
  error: orNull(openSet(ATTEMPT_ERRORS, 'Why it failed.')),
  latencyMs: orNull(
    Type.Integer({
      minimum: 0,
      description:
        'Until the answer, the failure or the breaking off; null: under way, or the worker died.',
    }),
  ),
});

const webhook = Type.Object({
  url: Uri,
  createdAt: DateTime,
  state: openSet(WEBHOOK_STATES, 'What it is at.'),
  failingSince: orNull(DateTime),
  failures: Type.Integer({ minimum: 0, description: 'Failures since the last success.' }),
  nextAttemptAt: orNull(DateTime),
  lastAttempt: orNull(refTo('Attempt')),
});

const removedWebhook = Type.Object({
  url: Uri,
  removedAt: DateTime,
  reason: openSet(['app', 'gone', 'failing', 'redirect_uri', 'connection_ended'], 'Why it went.'),
});

const lag = Type.Object({
  changes: Type.Integer({
    format: 'int64',
    minimum: 0,
    description:
      'The head of the feed minus the cursor that the app last read with; the whole feed when it never did.',
  }),
  lastReadAt: orNull(DateTime),
  minutesSinceRead: orNull(Type.Integer({ minimum: 0 })),
});

const connection = Type.Object({
  id: Uuid,
  status: openSet(CONNECTION_STATUSES, 'Whether the app may act.'),
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
    openSet(['app', 'shop', 'app_deleted', 'token_revoked', 'shop_closed'], 'Why it ended.'),
  ),
  webhook: orNull(webhook),
  removedWebhook: orNull(removedWebhook),
  lag,
});

const askedNotice = Type.Object({ eventId: Uuid });

/**
 * The schemas of connections in the Shop API's responses, by their names in its OpenAPI document.
 */
export const connectionSchemas = {
  Connection: connection,
  Attempt: attempt,
  AskedNotice: askedNotice,
} satisfies Readonly<Record<string, TSchema>>;
