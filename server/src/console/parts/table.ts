import { html } from 'hono/html';
import type { Markup } from '../../html/page.ts';

export type Cell = string | Markup;

/**
 * The heading of a column, and a function that returns the column's cell for a row. Numbers and
 * amounts align right. The heading of a column of buttons is for assistive technology only.
 */
export type Column<Row> = readonly [
  label: string,
  cell: (row: Row, index: number) => Cell,
  kind?: 'number' | 'buttons',
];

export interface TableOptions<Row> {
  readonly caption: string;
  /** By default only assistive technology reads the caption: a heading above says the same. */
  readonly isCaptionShown?: boolean;
  /** The columns. A column that this member may not see is null. */
  readonly columns: readonly (Column<Row> | null)[];
  readonly rows: readonly Row[];
  /** Shown instead of the table if the table has no rows. */
  readonly empty?: Markup | '';
}

/**
 * Renders a table with a caption. The first cell of each row is the row's heading. On a narrow
 * screen each row becomes a card, and each cell shows the heading of its column.
 */
export function table<Row>(options: TableOptions<Row>): Markup | '' {
  const { caption, isCaptionShown, rows, empty } = options;
  if (rows.length === 0 && empty !== undefined) return empty;
  const columns = options.columns.filter((column) => column !== null);
  return html`<div class="rows">
    <table>
      <caption class="${isCaptionShown === true ? '' : 'unseen'}">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(
            ([label, , kind]) =>
              html`<th scope="col" class="${kind === 'number' ? kind : ''}">
                ${kind === 'buttons' ? html`<span class="unseen">${label}</span>` : label}
              </th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row, index) =>
            html`<tr>
              ${columns.map((column, columnIndex) => renderCell(column, column[1](row, index), columnIndex))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function renderCell<Row>([label, , kind]: Column<Row>, cell: Cell, columnIndex: number): Markup {
  const shown = kind === 'buttons' ? '' : label;
  if (columnIndex === 0) return html`<th scope="row" data-label="${shown}">${cell}</th>`;
  return html`<td class="${kind === 'number' ? kind : ''}" data-label="${shown}">${cell}</td>`;
}
