import { html } from 'hono/html';
import type { Markup } from '../../html/page.ts';
import { type ConsoleResponse, type Section, showPage } from '../response.ts';
import type { AccountContext } from '../request-context.ts';
import { actionButton, linkButton } from './button.ts';

/**
 * Renders a page that asks for confirmation of an action that is hard to undo, with a link back.
 */
export function confirmPage(
  context: AccountContext,
  options: {
    readonly title: string;
    readonly section: Section;
    readonly back: { readonly href: string; readonly label: string };
    /** Explains the action and its consequences. */
    readonly content: Markup;
    readonly action: string;
    readonly fields?: Readonly<Record<string, string>>;
    readonly button: string;
    readonly cancelLabel: string;
    readonly status?: number;
  },
): ConsoleResponse {
  const { content, action, fields = {}, button, cancelLabel, ...page } = options;
  return showPage({
    ...page,
    content: html`<section class="sheet">
      ${content}
      <div class="actions">
        ${actionButton(context, { action, label: button, kind: 'danger', fields })}
        ${linkButton({ href: page.back.href, label: cancelLabel })}
      </div>
    </section>`,
  });
}
