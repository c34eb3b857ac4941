import { html } from 'hono/html';
import type { Markup } from '../../pages/page.ts';
import type { Visitor } from '../visit.ts';
import { icon, type IconName } from './icon.ts';

/** How much a button stands out; `danger` for what cannot be undone. */
export type ButtonKind = 'first' | 'second' | 'danger' | 'plain';

/** A form of one button: what works without a script. `fields` are sent along. */
export function actionButton(
  visitor: Visitor,
  options: {
    readonly action: string;
    readonly label: string;
    readonly kind?: ButtonKind;
    readonly icon?: IconName;
    readonly fields?: Readonly<Record<string, string>>;
    /** What it is about, where several buttons of a page have the same label. */
    readonly about?: string;
  },
): Markup {
  const { action, label, kind = 'second', fields = {}, about } = options;
  return html`<form class="action" method="post" action="${action}">
    ${visitor.formToken}
    ${Object.entries(fields).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
    )}
    <button type="submit" class="${kind}">
      ${options.icon === undefined ? '' : icon(options.icon)}${label}${aboutText(about)}
    </button>
  </form>`;
}

/** A link that looks like a button, for what only leads to another page. */
export function linkButton(options: {
  readonly href: string;
  readonly label: string;
  readonly kind?: ButtonKind;
  readonly icon?: IconName;
  readonly about?: string;
}): Markup {
  const { href, label, kind = 'second', about } = options;
  return html`<a class="button ${kind}" href="${href}"
    >${options.icon === undefined ? '' : icon(options.icon)}${label}${aboutText(about)}</a
  >`;
}

/** The button that sends the form around it. */
export function submitButton(label: string, kind: ButtonKind = 'first'): Markup {
  return html`<button type="submit" class="${kind}">${label}</button>`;
}

function aboutText(about: string | undefined): Markup | '' {
  return about === undefined ? '' : html`<span class="unseen"> ${about}</span>`;
}
