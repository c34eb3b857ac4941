import { html } from 'hono/html';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import { formMessages } from './form/messages.ts';

/**
 * Renders a control that chooses a file. A script shows its button and the file's name in the
 * page's language, because the browser's control is in the browser's language.
 */
export function fileInput(
  language: Language,
  options: {
    readonly id: string;
    readonly name: string;
    readonly accept: string;
    readonly describedBy: string;
    readonly isInvalid: boolean;
  },
): Markup {
  const { id, name, accept, describedBy, isInvalid } = options;
  const messages = formMessages[language];
  return html`<div class="file">
    <input
      type="file"
      id="${id}"
      name="${name}"
      accept="${accept}"
      required
      aria-describedby="${describedBy}"
      ${isInvalid ? html` aria-invalid="true"` : ''}
    />
    <label class="button" for="${id}" hidden>${messages.chooseFile}</label>
    <span class="file-name" hidden>${messages.noFile}</span>
  </div>`;
}
