import { html } from 'hono/html';
import type { Markup } from '../../html/page.ts';
import type { AccountContext } from '../request-context.ts';
import { icon, type IconName } from './icon.ts';

/** How prominent a button is. `danger` is for actions that cannot be undone. */
export type ButtonKind = 'first' | 'second' | 'danger' | 'plain';

/**
 * Renders a form with a single button, which works without a script. The form also submits
 * `fields`.
 */
export function actionButton(
  context: AccountContext,
  options: {
    readonly action: string;
    readonly label: string;
    readonly kind?: ButtonKind;
    readonly icon?: IconName;
    readonly fields?: Readonly<Record<string, string>>;
    /** The object that the button acts on, for pages with several buttons of the same label. */
    readonly about?: string;
  },
): Markup {
  const { action, label, kind = 'second', fields = {}, about } = options;
  return html`<form class="action" method="post" action="${action}">
    ${context.formToken}
    ${Object.entries(fields).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
    )}
    <button type="submit" class="${kind}">
      ${options.icon === undefined ? '' : icon(options.icon)}${label}${aboutText(about)}
    </button>
  </form>`;
}

/** Renders a link that looks like a button, for navigation. */
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

/** Renders the submit button of the surrounding form. */
export function submitButton(label: string, kind: ButtonKind = 'first'): Markup {
  return html`<button type="submit" class="${kind}">${label}</button>`;
}

function aboutText(about: string | undefined): Markup | '' {
  return about === undefined ? '' : html`<span class="unseen"> ${about}</span>`;
}
