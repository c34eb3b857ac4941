import { CONNECTION_STATUSES } from '../webhooks/connection-details.ts';
import {
  objectResponse,
  COMMON_HEADERS,
  type Json,
  LIST_PARAMETERS,
  pageResponse,
  headerRefs,
  errorResponses,
} from './openapi-parts.ts';

const CONNECTION_ID = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id of the connection, as apps see it.',
  schema: { type: 'string', format: 'uuid' },
};
const STATUS = {
  name: 'status',
  in: 'query',
  description: 'Return only connections with this status.',
  schema: { enum: [...CONNECTION_STATUSES] },
};

export function connectionPaths(): Readonly<Record<string, Json>> {
  return {
    '/connections': { get: listOperation() },
    '/connections/{id}': { get: getOperation(), delete: endOperation() },
    '/connections/{id}/attempts': { get: attemptsOperation() },
    '/connections/{id}/notice': { post: testDeliveryOperation() },
  };
}

function listOperation(): Json {
  return {
    operationId: 'listConnections',
    summary: 'List connections, ordered by id',
    description: 'Includes ended connections.',
    parameters: [...LIST_PARAMETERS, STATUS],
    responses: {
      200: pageResponse('connections', 'Connection'),
      ...errorResponses([400, 401, 429, 503]),
    },
  };
}

function getOperation(): Json {
  return {
    operationId: 'getConnection',
    summary: 'Show a connection, its webhook and how far its app is behind',
    parameters: [CONNECTION_ID],
    responses: {
      200: objectResponse('The connection.', 'Connection'),
      ...errorResponses([401, 404, 429, 503]),
    },
  };
}

function attemptsOperation(): Json {
  return {
    operationId: 'listAttempts',
    summary: 'List the delivery attempts, newest first',
    description:
      'The newest 1,000 attempts of the last 30 days, even if the connection has ended. An attempt whose worker died is `interrupted`; ' +
      'the receiver may have got the event or not.',
    parameters: [CONNECTION_ID, ...LIST_PARAMETERS],
    responses: {
      200: pageResponse('attempts', 'Attempt'),
      ...errorResponses([400, 401, 404, 429, 503]),
    },
  };
}

function testDeliveryOperation(): Json {
  return {
    operationId: 'sendNotice',
    summary: 'Send a test delivery to the webhook',
    description:
      'Sends a real `inventory.changed` event, even if nothing has changed. Repeating the call before the event is sent does not add a second delivery. ' +
      'A failed test delivery is not retried and does not count as a failure of the webhook.',
    parameters: [CONNECTION_ID],
    responses: {
      202: objectResponse('The test delivery will be sent.', 'AskedNotice'),
      ...errorResponses([400, 401, 404, 409, 413, 415, 429, 503]),
    },
  };
}

function endOperation(): Json {
  return {
    operationId: 'endConnection',
    summary: 'End a connection and revoke its tokens',
    description:
      'Removes its webhook, authorization codes and refresh tokens. Its access tokens are refused immediately. A newer connection of the same ' +
      'app is not affected.',
    parameters: [CONNECTION_ID],
    responses: {
      204: {
        description: 'The connection has ended, or had already ended.',
        headers: headerRefs(COMMON_HEADERS),
      },
      ...errorResponses([400, 401, 404, 413, 415, 429, 503]),
    },
  };
}
