import type { CallOptions, PartnerApi } from './partner-api.ts';
import { readObject } from './read-response.ts';
import type { WebhookRegistration } from './types.ts';

/** 4.10 PUT /webhook. Each call creates a new secret, so after a retry the last one is valid. */
export async function putWebhook(
  api: PartnerApi,
  url: string,
  options: CallOptions,
): Promise<WebhookRegistration> {
  const answer = await api.send({ method: 'PUT', path: '/webhook', json: { url }, ...options });
  return readObject<WebhookRegistration>(answer, { url: 'string', secret: 'string' });
}

/** Removes the webhook (4.11 DELETE /webhook). Also succeeds if no webhook is registered. */
export async function deleteWebhook(api: PartnerApi, options: CallOptions): Promise<void> {
  await api.send({ method: 'DELETE', path: '/webhook', ...options });
}
