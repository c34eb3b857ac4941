import { html } from 'hono/html';
import type { Markup } from '../../html/page.ts';

/**
 * The meaning of a state as a color; the text says it too, because color must not be the only
 * sign.
 */
export type Tone = 'good' | 'warn' | 'bad' | 'calm';

export function badge(label: string, tone: Tone = 'calm'): Markup {
  return html`<span class="badge ${tone}">${label}</span>`;
}
