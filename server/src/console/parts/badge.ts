import { html } from 'hono/html';
import type { Markup } from '../../html/page.ts';

/** Shown as a color. The text names the state too, because color must not be the only sign. */
export type Tone = 'good' | 'warn' | 'bad' | 'calm';

export function badge(label: string, tone: Tone = 'calm'): Markup {
  return html`<span class="badge ${tone}">${label}</span>`;
}
