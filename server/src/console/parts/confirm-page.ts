import { html } from 'hono/html';
import type { Markup } from '../../pages/page.ts';
import { type ConsoleAnswer, type Section, showPage } from '../answer.ts';
import type { Visitor } from '../visit.ts';
import { actionButton, linkButton } from './button.ts';

/** Asks for confirmation of an action that is hard to undo, with a link back. */
export function confirmPage(
  visitor: Visitor,
  options: {
    readonly title: string;
    readonly section: Section;
    readonly back: { readonly href: string; readonly label: string };
    /** What will be done, and what it means. */
    readonly content: Markup;
    readonly action: string;
    readonly fields?: Readonly<Record<string, string>>;
    readonly button: string;
    readonly keep: string;
    readonly status?: number;
  },
): ConsoleAnswer {
  const { content, action, fields = {}, button, keep, ...page } = options;
  return showPage({
    ...page,
    content: html`<section class="sheet">
      ${content}
      <div class="actions">
        ${actionButton(visitor, { action, label: button, kind: 'danger', fields })}
        ${linkButton({ href: page.back.href, label: keep })}
      </div>
    </section>`,
  });
}
