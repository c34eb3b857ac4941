import { html } from 'hono/html';
import { isUuid } from '../../base/field.ts';
import { uuidOfHex } from '../../base/uuid.ts';
import {
  changeExistingUnits,
  type ExistingUnitChange,
  type ExistingUnitResult,
} from '../../inventory/existing-units.ts';
import type { UnitShop } from '../../inventory/unit.ts';
import type { UnitRow } from '../../inventory/unit-row.ts';
import { canChangeStatus, isUnitStatus, type UnitStatus } from '../../inventory/unit-status.ts';
import type { Transaction } from '../../database/database.ts';
import { readCookie, renderCookie } from '../../html/cookie.ts';
import type { Markup } from '../../html/page.ts';
import { actionButton } from '../parts/button.ts';
import { receiptMessages } from '../parts/messages/receipt.ts';
import type { RequestContext } from '../request-context.ts';
import { BULK_TRANSITIONS } from './bulk-actions.ts';
import { PAGE_UNITS } from './find-stock.ts';
import { type ChosenPlace, parsePlace, placeValue } from './place-choice.ts';

/** A status or a place, as a form value. */
type Value = string;

/** The value that the units have now, and the earlier value of each. */
export interface BulkChange {
  readonly newValue: Value;
  readonly oldValues: ReadonlyMap<string, Value>;
}

/**
 * The cookie that carries a bulk change to the next page, which puts the change into the form of
 * the Undo button. The change is not encrypted or signed, because the form can do only what the
 * member may do anyway.
 */
const COOKIE = 'cardport_undo';
const COOKIE_SECONDS = 60;
/** Browsers store cookies of up to 4,096 bytes. The remaining bytes are for the attributes. */
const COOKIE_CHARACTERS_MAX = 3_900;

/** Returns the unit's status if `newValue` is a status, and otherwise its place. */
export function currentValueOf(row: UnitRow, newValue: Value): Value {
  return isUnitStatus(newValue) ? row.status : placeValue(row);
}

/** Returns no value if the change is empty or too large for a cookie. */
export function renderUndoCookies(
  { newValue, oldValues }: BulkChange,
  isSecure: boolean,
): readonly string[] {
  const groups = Map.groupBy(oldValues, ([, value]) => value);
  const texts = [...groups].map(([value, units]) =>
    [pack(value), ...units.map(([id]) => pack(id))].join('.'),
  );
  const text = [pack(newValue), ...texts].join('!');
  if (oldValues.size === 0 || text.length > COOKIE_CHARACTERS_MAX) return [];
  return [renderCookie(COOKIE, text, { isSecure, maxAgeSeconds: COOKIE_SECONDS })];
}

export function clearUndoCookie(isSecure: boolean): string {
  return renderCookie(COOKIE, '', { isSecure, maxAgeSeconds: 0 });
}

/** Returns the change that the last bulk action made in this browser, or null. */
export function readBulkChange(cookies: string | undefined): BulkChange | null {
  const text = readCookie(cookies, COOKIE);
  if (text === undefined || text.length > COOKIE_CHARACTERS_MAX) return null;
  const [newValue = '', ...groups] = text.split('!');
  const oldValues = groups.flatMap((group) => {
    const [value = '', ...ids] = group.split('.').map(unpack);
    return ids.map((id) => [id, value] as const);
  });
  return { newValue: unpack(newValue), oldValues: new Map(oldValues) };
}

export function renderUndoButton(
  context: RequestContext,
  change: BulkChange | null,
  list: string,
): Markup | '' {
  if (change === null || change.oldValues.size === 0 || !context.can('inventory.write')) return '';
  const units = [...change.oldValues].map(([id, value]) => [`unit.${id}`, value] as const);
  return html`<div class="undo">
    ${actionButton(context, {
      action: context.shopPath('/stock/bulk/undo'),
      label: receiptMessages[context.language].undo,
      fields: { list, is: change.newValue, ...Object.fromEntries<string>(units) },
    })}
  </div>`;
}

/** Parses the form of an Undo button. Ignores changes that no bulk action makes. */
export function parseUndoForm({ form }: RequestContext): BulkChange {
  const newValue = form.get('is') ?? '';
  const units = [...form]
    .filter(([name, value]) => name.startsWith('unit.') && canBeUndone(newValue, value))
    .map(([name, value]) => [name.slice('unit.'.length).toLowerCase(), value] as const)
    .filter(([id]) => isUuid(id));
  return { newValue, oldValues: new Map(units.slice(0, PAGE_UNITS)) };
}

function canBeUndone(newValue: Value, oldValue: Value): boolean {
  if (parsePlace(newValue) !== null) return parsePlace(oldValue) !== null;
  return Object.values(BULK_TRANSITIONS).some(
    ({ from, to }) => to === newValue && from.some((status) => status === oldValue),
  );
}

/** Gives each unit its earlier value, if it still has the value that the bulk action gave it. */
export async function undoBulkChange(
  tx: Transaction,
  shop: UnitShop,
  { newValue, oldValues }: BulkChange,
  now: Date,
): Promise<ExistingUnitResult[]> {
  const changes = [...oldValues].map(([id, value]): ExistingUnitChange => ({
    change: { id, ...membersOf(value) },
    expects: (row) => [newValue, value].includes(currentValueOf(row, newValue)),
  }));
  const detours = changes.filter(
    ({ change: { status } }) =>
      isUnitStatus(newValue) &&
      isUnitStatus(status ?? '') &&
      !canChangeStatus(newValue, status ?? newValue),
  );
  if (detours.length === 0) return await changeExistingUnits(tx, shop, changes, now);
  // A sold unit cannot become reserved directly, so it first becomes `in_stock`.
  const toStock = detours.map(({ change: { id } }): ExistingUnitChange => ({
    change: { id, status: 'in_stock' },
    expects: ({ status }) => status === newValue,
  }));
  const results = await changeExistingUnits(tx, shop, toStock, now);
  const freed = new Set(
    detours.filter((_, at) => results[at]?.kind === 'updated').map(({ change: { id } }) => id),
  );
  const rest = changes.map((each) => (freed.has(each.change.id) ? { change: each.change } : each));
  return await changeExistingUnits(tx, shop, rest, now);
}

function membersOf(value: Value): { readonly status: UnitStatus } | ChosenPlace {
  const place = parsePlace(value);
  if (place !== null) return place;
  if (!isUnitStatus(value)) throw new Error(`neither a place nor a status: ${value}`);
  return { status: value };
}

/** Shortens the UUIDs of a value, so that a page of units fits into a cookie. */
function pack(value: Value): string {
  return value
    .split('/')
    .map((part) =>
      isUuid(part)
        ? `~${Buffer.from(part.replaceAll('-', ''), 'hex').toString('base64url')}`
        : part,
    )
    .join('/');
}

function unpack(text: string): Value {
  return text
    .split('/')
    .map((part) => {
      if (!part.startsWith('~')) return part;
      return uuidOfHex(Buffer.from(part.slice(1), 'base64url').toString('hex'));
    })
    .join('/');
}
