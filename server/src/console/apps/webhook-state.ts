import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import type { RemovalReason } from '../../webhooks/registration.ts';
import type { ShownConnection, WebhookState } from '../../webhooks/shown-connection.ts';
import type { Format } from '../format.ts';
import { badge, type Tone } from '../parts/badge.ts';

interface StateWords {
  readonly name: string;
  readonly meaning: string;
}

interface Words extends Readonly<Record<WebhookState, StateWords>> {
  readonly none: StateWords;
  readonly removed: Readonly<Record<RemovalReason, string>>;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    idle: { name: 'Up to date', meaning: 'The app has been told of everything.' },
    due: { name: 'Sending', meaning: 'A notice is on its way, or goes out at once.' },
    retrying: {
      name: 'Failing',
      meaning:
        'The app’s receiver does not take our notices. We try again by ourselves, in longer and longer steps, for 14 days.',
    },
    paused: {
      name: 'Paused',
      meaning: 'The app is disabled: it is told nothing until you enable it.',
    },
    none: {
      name: 'None',
      meaning: 'The app asks for changes by itself. It may register a webhook to be told at once.',
    },
    removed: {
      app: 'The app removed it.',
      gone: 'The app’s receiver said that it is gone for good (410).',
      failing: 'It had failed for 14 days.',
      redirect_uri: 'The redirect URIs of the app no longer name its host.',
      connection_ended: 'It ended with the connection.',
    },
  },
  ja: {
    idle: { name: '最新', meaning: 'アプリにはすべて通知済みです。' },
    due: { name: '送信中', meaning: '通知を送信中か、まもなく送信します。' },
    retrying: {
      name: '失敗中',
      meaning:
        'アプリの受信側が通知を受け取っていません。間隔を少しずつ延ばしながら、14 日間自動で再送します。',
    },
    paused: { name: '停止中', meaning: 'アプリが無効のため、有効にするまで通知しません。' },
    none: {
      name: 'なし',
      meaning:
        'アプリは自分で変更を確認しています。Webhook を登録すると、すぐに通知を受け取れます。',
    },
    removed: {
      app: 'アプリが削除しました。',
      gone: 'アプリの受信側が、廃止済み（410）と応答しました。',
      failing: '14 日間失敗が続きました。',
      redirect_uri: 'アプリのリダイレクト URI から、そのホストがなくなりました。',
      connection_ended: '接続とともに終了しました。',
    },
  },
};

const TONES: Readonly<Record<WebhookState, Tone>> = {
  idle: 'good',
  due: 'calm',
  retrying: 'bad',
  paused: 'warn',
};

/** The state of a connection's webhook in a word. */
export function renderWebhookState({ webhook }: ShownConnection, { language }: Format): Markup {
  const text = WORDS[language];
  if (webhook === null) return html`${text.none.name}`;
  return badge(text[webhook.state].name, TONES[webhook.state]);
}

/** What the state means, in a sentence. */
export function webhookMeaning({ webhook }: ShownConnection, language: Language): string {
  const text = WORDS[language];
  return webhook === null ? text.none.meaning : text[webhook.state].meaning;
}

/** Why a webhook was removed, in a sentence. */
export function removalText(reason: RemovalReason, language: Language): string {
  return WORDS[language].removed[reason];
}
