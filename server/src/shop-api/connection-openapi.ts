import { CONNECTION_STATUSES } from '../webhooks/shown-connection.ts';
import {
  answer,
  COMMON_HEADERS,
  type Json,
  LIST_PARAMETERS,
  pageAnswer,
  refsTo,
  refusals,
} from './openapi-parts.ts';

const CONNECTION_ID = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id of the connection, as apps are shown it.',
  schema: { type: 'string', format: 'uuid' },
};
const STATUS = {
  name: 'status',
  in: 'query',
  description: 'Only connections of this status.',
  schema: { enum: [...CONNECTION_STATUSES] },
};

/** The OpenAPI paths of connections. */
export function connectionPaths(): Readonly<Record<string, Json>> {
  return {
    '/connections': { get: listOperation() },
    '/connections/{id}': { get: getOperation(), delete: endOperation() },
    '/connections/{id}/attempts': { get: attemptsOperation() },
    '/connections/{id}/notice': { post: noticeOperation() },
  };
}

function listOperation(): Json {
  return {
    operationId: 'listConnections',
    summary: 'List connections in the order of their ids',
    description: 'Ended ones too.',
    parameters: [...LIST_PARAMETERS, STATUS],
    responses: {
      200: pageAnswer('connections', 'Connection'),
      ...refusals([400, 401, 429, 503]),
    },
  };
}

function getOperation(): Json {
  return {
    operationId: 'getConnection',
    summary: 'Show a connection, its webhook and how far its app lies behind',
    parameters: [CONNECTION_ID],
    responses: { 200: answer('The connection.', 'Connection'), ...refusals([401, 404, 429, 503]) },
  };
}

function attemptsOperation(): Json {
  return {
    operationId: 'listAttempts',
    summary: 'List the attempts to deliver notices, newest first',
    description:
      'The newest 1,000 of the last 30 days, of an ended connection too. One whose process died is `interrupted`: ' +
      'nobody knows what the receiver saw.',
    parameters: [CONNECTION_ID, ...LIST_PARAMETERS],
    responses: {
      200: pageAnswer('attempts', 'Attempt'),
      ...refusals([400, 401, 404, 429, 503]),
    },
  };
}

function noticeOperation(): Json {
  return {
    operationId: 'sendNotice',
    summary: 'Send a notice now, to try the webhook',
    description:
      'A real `inventory.changed`, although nothing may have changed. Asked again before it was sent it is the same one. ' +
      'A failure of a trial is not tried again and does not count.',
    parameters: [CONNECTION_ID],
    responses: {
      202: answer('It will be sent.', 'AskedNotice'),
      ...refusals([400, 401, 404, 409, 413, 415, 429, 503]),
    },
  };
}

function endOperation(): Json {
  return {
    operationId: 'endConnection',
    summary: 'End a connection and everything behind it',
    description:
      'Its webhook, codes and refresh tokens go; its access tokens are refused at once. A newer connection of the same ' +
      'app is never touched.',
    parameters: [CONNECTION_ID],
    responses: {
      204: {
        description: 'It has ended, also when it had ended before.',
        headers: refsTo(COMMON_HEADERS),
      },
      ...refusals([400, 401, 404, 413, 415, 429, 503]),
    },
  };
}
