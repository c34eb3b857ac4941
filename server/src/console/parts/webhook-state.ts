import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import type { RemovalReason } from '../../webhooks/registration.ts';
import type { ShownConnection, WebhookState } from '../../webhooks/shown-connection.ts';
import type { Format } from '../format.ts';
import { badge, type Tone } from './badge.ts';
import { webhookStateMessages } from './messages/apps.ts';

const TONES: Readonly<Record<WebhookState, Tone>> = {
  idle: 'good',
  due: 'calm',
  retrying: 'bad',
  paused: 'warn',
};

/** The state of a connection's webhook as a badge. */
export function renderWebhookState({ webhook }: ShownConnection, { language }: Format): Markup {
  const messages = webhookStateMessages[language];
  if (webhook === null) return html`${messages.none.name}`;
  return badge(messages.states[webhook.state].name, TONES[webhook.state]);
}

export function webhookMeaning({ webhook }: ShownConnection, language: Language): string {
  const messages = webhookStateMessages[language];
  return webhook === null ? messages.none.meaning : messages.states[webhook.state].meaning;
}

export function removalText(reason: RemovalReason, language: Language): string {
  return webhookStateMessages[language].removed[reason];
}
