import { html } from 'hono/html';
import type { Markup } from '../../pages/page.ts';
import { type ConsoleAnswer, showPage } from '../answer.ts';
import { linkButton } from '../parts/button.ts';
import type { Visit } from '../visit.ts';
import type { AskedStatus } from './asked-status.ts';
import { unitMessages } from './messages/unit.ts';

/** Asks once more, and says whether there is a way back. `form` holds the button that does it. */
export function askOnce(
  visit: Visit,
  options: {
    readonly to: AskedStatus;
    readonly title: string;
    readonly back: { readonly href: string; readonly label: string };
    readonly about: Markup | string;
    readonly form: Markup;
  },
): ConsoleAnswer {
  const { to, title, back, about, form } = options;
  const messages = unitMessages[visit.language];
  return showPage({
    title,
    section: 'stock',
    back,
    content: html`<div class="sheet">
      <p><strong>${about}</strong></p>
      <p>${to === 'written_off' ? messages.confirmUndoable : messages.confirmFinal}</p>
      <div class="actions">${form} ${linkButton({ href: back.href, label: messages.cancel })}</div>
    </div>`,
  });
}
