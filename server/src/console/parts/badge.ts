import { html } from 'hono/html';
import type { Markup } from '../../pages/page.ts';

/** What a state means to who reads it; the words say it too, so that colour is never alone. */
export type Tone = 'good' | 'warn' | 'bad' | 'calm';

/** A state in a word or two. */
export function badge(label: string, tone: Tone = 'calm'): Markup {
  return html`<span class="badge ${tone}">${label}</span>`;
}
