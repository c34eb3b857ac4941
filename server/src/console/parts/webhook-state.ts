import { html } from 'hono/html';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import type { RemovalReason } from '../../webhooks/registration.ts';
import type { ConnectionDetails, WebhookState } from '../../webhooks/connection-details.ts';
import type { Formatter } from '../format.ts';
import { badge, type Tone } from './badge.ts';
import { webhookStateMessages } from './messages/apps.ts';

const TONES: Readonly<Record<WebhookState, Tone>> = {
  idle: 'good',
  due: 'calm',
  retrying: 'bad',
  paused: 'warn',
};

export function renderWebhookState(
  { webhook }: ConnectionDetails,
  { language }: Formatter,
): Markup {
  const messages = webhookStateMessages[language];
  if (webhook === null) return html`${messages.none.name}`;
  return badge(messages.states[webhook.state].name, TONES[webhook.state]);
}

export function webhookDescription({ webhook }: ConnectionDetails, language: Language): string {
  const messages = webhookStateMessages[language];
  return webhook === null ? messages.none.meaning : messages.states[webhook.state].meaning;
}

export function removalText(reason: RemovalReason, language: Language): string {
  return webhookStateMessages[language].removed[reason];
}
