import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { listAttempts, type LoggedAttempt } from '../../webhooks/attempt-log.ts';
import { NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { badge } from '../parts/badge.ts';
import { emptyState } from '../parts/notes.ts';
import { pager, withQuery } from '../parts/pager.ts';
import { table } from '../parts/table.ts';
import type { SectionRoutes } from '../section.ts';
import type { Visit } from '../visit.ts';
import { findConnectionOfVisit } from './app-of-shop.ts';
import { latencyText } from './attempt-strip.ts';
import { errorText, remedyText, RESULT_TONES, resultText } from './attempt-words.ts';

/** Attempts of one page. */
const PAGE_ATTEMPTS = 50;
/** What JavaScript counts exactly. */
const NUMBER = /^\d{1,15}$/;

interface Words {
  readonly title: (app: string) => string;
  readonly back: string;
  readonly caption: string;
  readonly when: string;
  readonly result: string;
  readonly status: string;
  readonly latency: string;
  readonly what: string;
  readonly kept: string;
  readonly none: string;
  readonly noneText: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: (app) => `Attempts to tell ${app}`,
    back: 'Connection',
    caption: 'Attempts, the newest first',
    when: 'When',
    result: 'Result',
    status: 'Answer',
    latency: 'Took',
    what: 'What went wrong, and what to do',
    kept: 'The newest 1,000 are kept, for 30 days. What a notice or its answer said is never kept.',
    none: 'Nothing was sent yet',
    noneText: 'As soon as the app has a webhook and stock changes, attempts are listed here.',
  },
  ja: {
    title: (app) => `${app} への送信の記録`,
    back: '接続',
    caption: '送信（新しい順）',
    when: '日時',
    result: '結果',
    status: '応答',
    latency: '所要時間',
    what: '問題と対処方法',
    kept: '最新 1,000 件を 30 日間保存します。通知と応答の内容は保存しません。',
    none: 'まだ送信していません',
    noneText: 'アプリが Webhook を登録し、在庫に変更があると、ここに表示されます。',
  },
};

/** Mounts the whole log of a connection's notices. */
export function mountAttempts(routes: SectionRoutes, { db }: ConsoleDeps): void {
  routes.page('/connections/:id/attempts', 'integrations.manage', async (visit) => {
    const connection = await findConnectionOfVisit(db, visit);
    if (connection === undefined) return NOT_FOUND;
    const { shop, query, language } = visit;
    const asked = query['before'] ?? '';
    const before = NUMBER.test(asked) ? Number(asked) : null;
    const limit = PAGE_ATTEMPTS + 1;
    const found = (await listAttempts(db, shop.id, connection.id, { before, limit })) ?? [];
    const shown = found.slice(0, PAGE_ATTEMPTS);
    const last = found.length > PAGE_ATTEMPTS ? shown.at(-1) : undefined;
    const text = WORDS[language];
    const back = visit.path(`/connections/${connection.id}`);
    const path = `${back}/attempts`;
    return showPage({
      title: text.title(connection.app.name),
      section: 'apps',
      back: { href: back, label: text.back },
      content: html`<p class="soft">${text.kept}</p>
        ${shown.length === 0 ? emptyState(text.none, text.noneText) : renderAttempts(visit, shown)}
        ${pager(language, {
          firstHref: before === null ? null : path,
          nextHref: last === undefined ? null : withQuery(path, { before: last.number }),
        })}`,
    });
  });
}

function renderAttempts(visit: Visit, attempts: readonly LoggedAttempt[]): Markup {
  const { language, format } = visit;
  const text = WORDS[language];
  return html`<div class="sheet">
    ${table({
      caption: text.caption,
      columns: [
        { label: text.when },
        { label: text.result },
        { label: text.status },
        { label: text.latency, isNumber: true },
        { label: text.what },
      ],
      rows: attempts.map((attempt) => {
        const { startedAt, result, status, error } = attempt;
        return [
          format.dateTime(startedAt),
          badge(resultText(result, language), RESULT_TONES[result]),
          status === null ? '–' : String(status),
          latencyText(attempt, visit),
          error === null
            ? '–'
            : html`<div>
                ${errorText(error, language)}
                <span class="soft small below">${remedyText(error, language)}</span>
              </div>`,
        ];
      }),
    })}
  </div>`;
}
