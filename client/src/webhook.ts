import type { CallOptions, PartnerApi } from './partner-api.ts';
import { readObject } from './read-answer.ts';
import type { WebhookRegistration } from './types.ts';

/**
 * 4.10 PUT /webhook. Each call makes a new secret, and the last one counts; the secret answered is that of the last try.
 */
export async function putWebhook(
  api: PartnerApi,
  url: string,
  options: CallOptions,
): Promise<WebhookRegistration> {
  const answer = await api.send({ method: 'PUT', path: '/webhook', json: { url }, ...options });
  return readObject<WebhookRegistration>(answer, { url: 'string', secret: 'string' });
}

/** 4.11 DELETE /webhook. Nothing to remove is no error. */
export async function deleteWebhook(api: PartnerApi, options: CallOptions): Promise<void> {
  await api.send({ method: 'DELETE', path: '/webhook', ...options });
}
