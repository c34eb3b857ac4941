import { html } from 'hono/html';
import type { Markup } from '../../pages/page.ts';

/** A cell: text or markup. */
export type Cell = string | Markup;

export interface Column {
  readonly label: string;
  /** Numbers and amounts stand to the right. */
  readonly isNumber?: boolean;
  /** Its label is for assistive technology only, such as that of buttons. */
  readonly isLabelUnseen?: boolean;
}

/**
 * A table with a caption, whose first cell of each row is its heading. On a narrow screen each row becomes a card whose
 * cells carry their column's label.
 */
export function table(options: {
  readonly caption: string;
  /** The caption is for assistive technology only: a heading above says it already. */
  readonly isCaptionUnseen?: boolean;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}): Markup {
  const { caption, isCaptionUnseen, columns, rows } = options;
  return html`<div class="rows">
    <table>
      <caption class="${isCaptionUnseen === true ? 'unseen' : ''}">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(
            ({ label, isNumber, isLabelUnseen }) =>
              html`<th scope="col" class="${isNumber === true ? 'number' : ''}">
                ${isLabelUnseen === true ? html`<span class="unseen">${label}</span>` : label}
              </th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell, index) => renderCell(cell, columns[index], index))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function renderCell(cell: Cell, column: Column | undefined, index: number): Markup {
  const label = column === undefined || column.isLabelUnseen === true ? '' : column.label;
  const kind = column?.isNumber === true ? 'number' : '';
  if (index === 0) return html`<th scope="row" data-label="${label}">${cell}</th>`;
  return html`<td class="${kind}" data-label="${label}">${cell}</td>`;
}
