import { html, raw } from 'hono/html';
import type { Markup } from '../../html/page.ts';

/** The SVG paths of the icons on a 24 by 24 grid, drawn for this console. */
const LINES = {
  home: 'M4 11 12 4l8 7M6 10v10h12V10M10 20v-6h4v6',
  boost: 'M12 20V5M5.5 11 12 4.5 18.5 11M5 20h14',
  box: 'M4 8l8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8',
  place:
    'M12 21s7-6.2 7-11a7 7 0 1 0-14 0c0 4.8 7 11 7 11zM12 12.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  plug: 'M9 3v6M15 3v6M6 9h12v3a6 6 0 0 1-12 0zM12 18v3',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c0-3.6 2.9-6 6.5-6s6.5 2.4 6.5 6M16 4.4a3.5 3.5 0 0 1 0 6.3M18 14.3c2.2.8 3.5 2.9 3.5 5.7',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5c0-4 3.4-6.5 7.5-6.5s7.5 2.5 7.5 6.5',
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  sliders: 'M4 7h8M16 7h4M14 4.5v5M4 17h4M12 17h8M10 14.5v5',
  plus: 'M12 5v14M5 12h14',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l4.5 4.5',
  warning: 'M12 4 2.5 20h19zM12 10v4.5M12 17.5h.01',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M6 6l12 12M18 6 6 18',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3.5 2',
  camera: 'M4 8h3.5L9 5.5h6L16.5 8H20v11H4zM12 16.5a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4z',
  bell: 'M6 17V11a6 6 0 1 1 12 0v6l1.5 1.5h-15zM10 21h4',
  key: 'M8 15.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 11.5h9M18 11.5v3.5M15 11.5v2.5',
} as const;

export type IconName = keyof typeof LINES;

/** Assistive technology skips the icon, because the text next to it says the same. */
export function icon(name: IconName): Markup {
  return html`<svg
    class="icon"
    viewBox="0 0 24 24"
    width="20"
    height="20"
    aria-hidden="true"
    focusable="false"
  >
    ${raw(`<path d="${LINES[name]}" />`)}
  </svg>`;
}
