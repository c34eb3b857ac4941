import { html } from 'hono/html';
import type { Markup } from '../../html/page.ts';
import { fieldId } from './field.ts';
import type { Tone } from './badge.ts';
import { icon } from './icon.ts';

/** Renders a highlighted message of a few sentences, which may contain actions. */
export function callout(tone: Tone, content: Markup | string): Markup {
  const sign = tone === 'good' ? 'check' : tone === 'calm' ? 'bell' : 'warning';
  return html`<div class="note ${tone}">
    ${icon(sign)}
    <div>${content}</div>
  </div>`;
}

/** A validation error: the field's name, or null for the form itself, and a sentence. */
export interface FormError {
  readonly field: string | null;
  readonly text: string;
}

/**
 * Renders all errors of a form above it, each with a link to the field. Renders nothing without
 * errors.
 */
export function errorSummary(title: string, errors: readonly FormError[]): Markup | '' {
  if (errors.length === 0) return '';
  return html`<div class="note bad" role="alert" tabindex="-1" data-focus>
    ${icon('warning')}
    <div>
      <p><strong>${title}</strong></p>
      <ul>
        ${errors.map(
          ({ field, text }) =>
            html`<li>
              ${field === null ? text : html`<a href="#${fieldId(field)}">${text}</a>`}
            </li>`,
        )}
      </ul>
    </div>
  </div>`;
}

export function errorOf(errors: readonly FormError[], field: string): string | null {
  return errors.find((each) => each.field === field)?.text ?? null;
}

/** Renders a note instead of an empty list. It says what the list is for and how to start. */
export function emptyState(title: string, text: string, action: Markup | '' = ''): Markup {
  return html`<div class="empty">
    <p><strong>${title}</strong></p>
    <p>${text}</p>
    ${action}
  </div>`;
}

export function descriptionList(
  pairs: readonly (readonly [term: string, value: Markup | string])[],
): Markup {
  return html`<dl class="facts">
    ${pairs.map(
      ([term, value]) =>
        html`<div>
          <dt>${term}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}
