import { getBoosts } from './boosts.ts';
import { getCard, getCards } from './cards.ts';
import { deleteConnection, getConnection, postConnection } from './connection.ts';
import type { Endpoint } from './endpoint.ts';
import { getChanges, getSites } from './inventory.ts';
import { getPhoto } from './photo.ts';
import { deleteWebhook, putWebhookEndpoint } from './webhook.ts';

/** spec 4, in its order. Routes, checks and the OpenAPI document are derived from this table. */
export const ENDPOINTS: readonly Endpoint[] = [
  getConnection,
  postConnection,
  deleteConnection,
  getBoosts,
  getSites,
  getChanges,
  getPhoto,
  getCards,
  getCard,
  putWebhookEndpoint,
  deleteWebhook,
];
