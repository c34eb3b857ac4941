import { html } from 'hono/html';
import type { UnitStatus } from '../../inventory/unit-status.ts';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import { unitStatusMessages } from '../parts/messages/catalog.ts';
import type { ConfirmedStatus } from './confirmed-status.ts';
import { backToStockMessages, statusActionMessages } from './messages/list.ts';
import { unitMessages } from './messages/unit.ts';

/** Returns the label of the action that moves a unit from one status to another. */
export function transitionName(from: UnitStatus, to: UnitStatus, language: Language): string {
  if (to !== 'in_stock') return statusActionMessages[language][to];
  const back: Readonly<Partial<Record<UnitStatus, string>>> = backToStockMessages[language];
  return back[from] ?? unitStatusMessages[language].in_stock;
}

/** Renders an explanation of the change of status, which also says whether it can be undone. */
export function confirmationText(
  to: ConfirmedStatus,
  about: Markup | string,
  language: Language,
): Markup {
  const { confirmUndoable, confirmFinal } = unitMessages[language];
  return html`<p><strong>${about}</strong></p>
    <p>${to === 'written_off' ? confirmUndoable : confirmFinal}</p>`;
}
