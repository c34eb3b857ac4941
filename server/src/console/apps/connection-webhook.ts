import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import type { LoggedAttempt } from '../../webhooks/attempt-log.ts';
import type { ShownConnection } from '../../webhooks/shown-connection.ts';
import { actionButton } from '../parts/button.ts';
import { facts } from '../parts/notes.ts';
import type { Visit } from '../visit.ts';
import { uuidOf } from './app-of-shop.ts';
import { attemptDetails, attemptStrip } from './attempt-strip.ts';
import { renderNotice } from './notice-progress.ts';
import { removalText, renderWebhookState, webhookMeaning } from './webhook-state.ts';

interface Words {
  readonly webhook: string;
  readonly url: string;
  readonly state: string;
  readonly registered: string;
  readonly failingSince: string;
  readonly failures: string;
  readonly next: string;
  readonly atOnce: string;
  readonly before: string;
  readonly removed: string;
  readonly attempts: string;
  readonly noAttempts: string;
  readonly all: string;
  readonly send: string;
  readonly sendText: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    webhook: 'Webhook',
    url: 'Goes to',
    state: 'State',
    registered: 'Registered',
    failingSince: 'Failing since',
    failures: 'Failed attempts in a row',
    next: 'Next attempt',
    atOnce: 'At once',
    before: 'The webhook before',
    removed: 'Removed',
    attempts: 'Attempts',
    noAttempts: 'Nothing was sent yet.',
    all: 'All attempts',
    send: 'Send a notice now',
    sendText:
      'A real notice, although nothing may have changed: shows whether the receiver works. A failed one changes nothing else.',
  },
  ja: {
    webhook: 'Webhook',
    url: '送信先',
    state: '状態',
    registered: '登録日時',
    failingSince: '失敗の始まり',
    failures: '連続失敗回数',
    next: '次の送信',
    atOnce: 'まもなく',
    before: '以前の Webhook',
    removed: '削除日時',
    attempts: '送信の記録',
    noAttempts: 'まだ送信していません。',
    all: 'すべての送信',
    send: '通知を今すぐ送る',
    sendText:
      '変更がなくても本物の通知を送り、受信側の動作を確かめます。失敗しても、ほかに影響はありません。',
  },
};

/** What a connection's webhook is at, with the last attempts as marks; nothing of it is silent, and nothing secret shown. */
export function renderConnectionWebhook(
  visit: Visit,
  connection: ShownConnection,
  {
    attempts,
    chosen,
  }: {
    readonly attempts: readonly LoggedAttempt[];
    readonly chosen: LoggedAttempt | undefined;
  },
): Markup {
  const { language, format } = visit;
  const text = WORDS[language];
  const path = visit.path(`/connections/${connection.id}`);
  const { webhook, removedWebhook, status } = connection;
  const eventId = uuidOf(visit.query['notice']);
  const list =
    attempts.length === 0
      ? html`<p class="soft">${text.noAttempts}</p>`
      : html`${attemptStrip(visit, path, attempts, chosen)}
          ${chosen === undefined ? '' : attemptDetails(visit, chosen)}
          <p><a href="${path}/attempts">${text.all}</a></p>`;
  const past =
    removedWebhook === null
      ? ''
      : html`<h3>${text.before}</h3>
          ${facts([
            [text.url, html`<code>${removedWebhook.url}</code>`],
            [text.removed, format.dateTime(removedWebhook.removedAt)],
          ])}
          <p>${removalText(removedWebhook.reason, language)}</p>`;
  return html`<section class="sheet">
    <h2>${text.webhook}</h2>
    ${status === 'active' ? html`<p>${webhookMeaning(connection, language)}</p>` : ''}
    ${webhook === null ? '' : renderFacts(visit, connection, webhook)} ${past}
    ${webhook === null && attempts.length === 0 ? '' : html`<h3>${text.attempts}</h3>`}
    ${webhook === null && attempts.length === 0 ? '' : list}
    ${eventId === null ? '' : renderNotice(visit, connection.id, eventId, attempts)}
    ${
      webhook === null || !connection.app.isEnabled
        ? ''
        : html`<p class="soft small">${text.sendText}</p>
            ${actionButton(visit, { action: `${path}/notice`, label: text.send, icon: 'bell' })}`
    }
  </section>`;
}

function renderFacts(
  { language, format, now }: Visit,
  connection: ShownConnection,
  webhook: NonNullable<ShownConnection['webhook']>,
): Markup {
  const text = WORDS[language];
  const { url, createdAt, failingSince, failures, nextAttemptAt } = webhook;
  const pairs: (readonly [string, Markup | string])[] = [
    [text.url, html`<code>${url}</code>`],
    [text.state, renderWebhookState(connection, format)],
    [text.registered, format.dateTime(createdAt)],
  ];
  if (failingSince !== null) {
    pairs.push([text.failingSince, format.ago(failingSince)]);
    pairs.push([text.failures, format.number(failures)]);
  }
  if (nextAttemptAt !== null) {
    pairs.push([text.next, nextAttemptAt > now ? format.ago(nextAttemptAt) : text.atOnce]);
  }
  return facts(pairs);
}
