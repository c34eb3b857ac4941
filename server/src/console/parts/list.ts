import { html } from 'hono/html';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import { pagerMessages } from '../messages.ts';
import { type Query, withQuery } from '../query.ts';
import { submitButton } from './button.ts';
import { type Choice, selectField, textField } from './field.ts';
import { table, type TableOptions } from './table.ts';

/** The position of a page in a list. */
export interface Paging {
  /** The path of the list, without a query. */
  readonly path: string;
  /** The filters, which are the same on all pages. */
  readonly query?: Query;
  /** The query parameter that holds the position. */
  readonly name: 'after' | 'before';
  /** The position of this page, or null at the start. */
  readonly here: string | number | null;
  /** The position of the next page, or null on the last page. */
  readonly next: string | number | null | undefined;
  /** The HTML id of the list on its page. */
  readonly anchor?: string;
}

export function pagedTable<Row>(
  language: Language,
  options: TableOptions<Row> & { readonly paging: Paging },
): Markup {
  return html`<section class="sheet">${table(options)}</section>
    ${pager(language, options.paging)}`;
}

/**
 * Returns the rows of one page from a read of `limit + 1` rows. If another page follows, `last` is
 * the last row of this page.
 */
export function trimToPage<Row>(
  found: readonly Row[],
  limit: number,
): { readonly rows: readonly Row[]; readonly last: Row | undefined } {
  const rows = found.slice(0, limit);
  return { rows, last: found.length > limit ? rows.at(-1) : undefined };
}

/**
 * Renders links to the start of a list and to the next page, or nothing if there is only one page.
 */
export function pager(
  language: Language,
  { path, query = {}, name, here, next, anchor }: Paging,
): Markup | '' {
  if (here === null && (next ?? null) === null) return '';
  const messages = pagerMessages[language];
  const href = (at: Paging['next']): string =>
    `${withQuery(path, { ...query, [name]: at })}${anchor === undefined ? '' : `#${anchor}`}`;
  return html`<nav class="pager" aria-label="${messages.pages}">
    ${here === null ? '' : html`<a class="button second" href="${href(null)}">${messages.first}</a>`}
    ${(next ?? null) === null ? '' : html`<a class="button second" rel="next" href="${href(next)}">${messages.next}</a>`}
  </nav>`;
}

/** A text or a choice. `any` is the label of the choice that does not filter. */
export interface Filter {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly value: string | number | null;
  readonly any?: string;
  readonly choices?: readonly Choice[];
}

/** The maximum length of a text filter in UTF-16 units: two for each of 150 code points. */
const TEXT_LENGTH_MAX = 300;

/** Renders the form that filters a list. `hidden` contains query values without a visible input. */
export function filterForm(
  path: string,
  options: {
    readonly filters: readonly Filter[];
    readonly hidden?: Query;
    readonly submit: string;
    /** The label of the link to the unfiltered list. Without a label, the link is omitted. */
    readonly all?: string | null;
    /** Additional buttons. */
    readonly extra?: Markup;
  },
): Markup {
  const { filters, hidden = {}, submit, all = null, extra } = options;
  return html`<form class="filters" method="get" action="${path}" role="search">
    ${Object.entries(hidden).map(([name, value]) =>
      (value ?? null) === null ? '' : html`<input type="hidden" name="${name}" value="${value}" />`,
    )}
    ${filters.map(renderFilter)} ${submitButton(submit, 'second')} ${extra ?? ''}
    ${all === null ? '' : html`<a class="button plain" href="${path}">${all}</a>`}
  </form>`;
}

function renderFilter({ value, any, choices, ...field }: Filter): Markup {
  const text = value === null ? null : String(value);
  if (choices === undefined) {
    const maxLength = TEXT_LENGTH_MAX;
    return textField({ ...field, value: text, type: 'search', maxLength, autocomplete: 'off' });
  }
  const all = any === undefined ? [] : [{ value: '', label: any }];
  return selectField({ ...field, value: text, choices: [...all, ...choices] });
}
