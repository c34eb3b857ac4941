import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { pagerMessages } from '../messages.ts';
import { type Query, withQuery } from '../query.ts';
import { submitButton } from './button.ts';
import { type Choice, selectField, textField } from './field.ts';
import { table, type TableOptions } from './table.ts';

/** Where a list that is read by position stands. */
export interface Paging {
  /** Of the list, without a query. */
  readonly path: string;
  /** Of its filters, which all pages have. */
  readonly query?: Query;
  /** The value that says behind which row a page begins. */
  readonly name: 'after' | 'before';
  /** That of this page; null at the start. */
  readonly here: string | number | null;
  /** That of the next page; null where all is shown. */
  readonly next: string | number | null | undefined;
  /** The part of its page that the list is. */
  readonly anchor?: string;
}

/** A list on a sheet, with the links to its other pages. */
export function list<Row>(
  language: Language,
  options: TableOptions<Row> & { readonly paging: Paging },
): Markup {
  return html`<section class="sheet">${table(options)}</section>
    ${pager(language, options.paging)}`;
}

/** The rows of one page, of which one more was read, and the last of them where another page follows. */
export function pageOf<Row>(
  found: readonly Row[],
  limit: number,
): { readonly rows: readonly Row[]; readonly last: Row | undefined } {
  const rows = found.slice(0, limit);
  return { rows, last: found.length > limit ? rows.at(-1) : undefined };
}

/** Links of a list: back to its start, and on. Nothing when all of it is shown. */
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

/** A filter of a list: a text, or one of its choices; `any` is the choice of all. */
export interface Filter {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly value: string | number | null;
  readonly any?: string;
  readonly choices?: readonly Choice[];
}

/** UTF-16 units of a text that is searched for: two for each of 150 code points. */
const TEXT_LENGTH_MAX = 300;

/** The form that filters the list of a path. `kept` are values of its query that no field shows. */
export function filterForm(
  path: string,
  options: {
    readonly filters: readonly Filter[];
    readonly kept?: Query;
    readonly submit: string;
    /** The link to the list without filters, where it has one. */
    readonly all?: string | null;
  },
): Markup {
  const { filters, kept = {}, submit, all = null } = options;
  return html`<form class="filters" method="get" action="${path}" role="search">
    ${Object.entries(kept).map(([name, value]) =>
      (value ?? null) === null ? '' : html`<input type="hidden" name="${name}" value="${value}" />`,
    )}
    ${filters.map(renderFilter)} ${submitButton(submit, 'second')}
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
