import { html } from 'hono/html';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import type { Tone } from '../parts/badge.ts';
import { icon } from '../parts/icon.ts';
import type { MessagesOf } from '../../html/messages.ts';
import { attentionMessages } from './messages.ts';

/** Something that needs a member's attention, with a link to the page where it can be fixed. */
export interface AttentionItem {
  /**
   * `bad` means that apps miss changes. `warn` means that apps may soon miss changes, or that a
   * person is waiting. `calm` is for information.
   */
  readonly tone: Exclude<Tone, 'good'>;
  readonly title: string;
  /** Short statements. Empty statements are omitted. */
  readonly details: readonly (Markup | string)[];
  readonly href: string;
}

/** The line that counts the items of a kind that are not shown. */
export interface MoreItems {
  readonly title: string;
  readonly href: string;
}

/** The items of one kind. `more` counts the items that are not shown and links to all of them. */
export interface AttentionGroup {
  readonly items: readonly AttentionItem[];
  readonly more: MoreItems | null;
}

/** The maximum number of shown items of a kind. A list with five kinds then fits on two screens. */
export const ITEMS_PER_KIND = 3;

const RANKS: Readonly<Record<AttentionItem['tone'], number>> = { bad: 0, warn: 1, calm: 2 };
const ICONS = { bad: 'warning', warn: 'clock', calm: 'bell' } as const;

export function groupItems(
  items: readonly AttentionItem[],
  more: (count: number) => MoreItems,
): AttentionGroup {
  const left = items.length - ITEMS_PER_KIND;
  return { items: items.slice(0, ITEMS_PER_KIND), more: left > 0 ? more(left) : null };
}

/** Renders the list, worst items first, or a single line if the list is empty. */
export function renderAttention(groups: readonly AttentionGroup[], language: Language): Markup {
  const messages = attentionMessages[language];
  const shown = groups
    .filter(({ items }) => items.length > 0)
    .toSorted((a, b) => rankOf(a) - rankOf(b));
  return html`<section class="sheet attention" aria-labelledby="attention">
    <h2 id="attention">${messages.heading}</h2>
    ${
      shown.length === 0
        ? html`<p class="all-well">${icon('check')}<span>${messages.calm}</span></p>`
        : html`<ul>
            ${shown.map(({ items, more }) => [
              ...items.map((item) => renderItem(item, messages)),
              more === null
                ? ''
                : html`<li class="more"><a href="${more.href}">${more.title}</a></li>`,
            ])}
          </ul>`
    }
  </section>`;
}

function rankOf({ items }: AttentionGroup): number {
  return Math.min(...items.map(({ tone }) => RANKS[tone]));
}

function renderItem(item: AttentionItem, messages: MessagesOf<typeof attentionMessages>): Markup {
  const { tone, title, href } = item;
  const details = item.details.filter((detail) => detail !== '');
  return html`<li class="${tone}">
    ${icon(ICONS[tone])}
    <div>
      <p class="what">
        <a href="${href}"><span class="unseen">${messages.tones[tone]} </span>${title}</a>
      </p>
      <p class="soft small">
        ${details.map((detail, index) => html`${index === 0 ? '' : ' · '}${detail}`)}
      </p>
    </div>
  </li>`;
}
