import { isObject, type ParseResult, accept, parseMembers, refuse } from '../base/field.ts';
import { parseObject } from '../base/object-fields.ts';
import { CARD_FIELDS } from './card.ts';
import type { CatalogEntry } from './entry.ts';
import { id, isActive } from './entry-fields.ts';
import { GRADE_FIELDS } from './grade.ts';
import { PRODUCT_FIELDS } from './product.ts';

const switchFields = { id, isActive };

/**
 * Parses one line of a catalog file (decision 0009). The line is a switch if it has `id` and
 * `isActive` only, a product if it has `productKind`, a third-party grade if it has `serviceKind`,
 * else a card (spec 2.2). Other members are ignored.
 */
export function readCatalogLine(value: unknown): ParseResult<CatalogEntry> {
  if (!isObject(value)) return refuse('The line must be a JSON object.');
  if (isSwitch(value)) return readSwitchLine(value);
  const isProduct = value['productKind'] !== undefined;
  const isGrade = value['serviceKind'] !== undefined;
  if (isProduct && isGrade) {
    return refuse('A line cannot be both a product (productKind) and a grade (serviceKind).');
  }
  if (isProduct) return readProductLine(value);
  return isGrade ? readGradeLine(value) : readCardLine(value);
}

/** Returns whether a line has no other members. With others it may be an incomplete entry. */
function isSwitch(value: Readonly<Record<string, unknown>>): boolean {
  const members = Object.keys(value);
  return members.length === 2 && members.includes('id') && members.includes('isActive');
}

function readSwitchLine(value: unknown): ParseResult<CatalogEntry> {
  const reading = parseMembers(switchFields, value, 'refuse');
  if (!reading.ok) return reading;
  const { id: entryId, isActive: isOn } = reading.value;
  if (entryId === undefined || isOn === undefined) {
    return refuse('A line that only sets isActive must contain id and isActive.');
  }
  return accept({ kind: 'switch', id: entryId, isActive: isOn });
}

function readCardLine(value: unknown): ParseResult<CatalogEntry> {
  const reading = parseObject({ ...CARD_FIELDS, isActive }, value, 'A card');
  if (!reading.ok) return reading;
  const { isActive: isOn, ...card } = reading.value;
  return accept({ kind: 'card', card, isActive: isOn });
}

function readProductLine(value: unknown): ParseResult<CatalogEntry> {
  const reading = parseObject({ ...PRODUCT_FIELDS, isActive }, value, 'A product');
  if (!reading.ok) return reading;
  const { isActive: isOn, ...product } = reading.value;
  return accept({ kind: 'product', product, isActive: isOn });
}

function readGradeLine(value: Readonly<Record<string, unknown>>): ParseResult<CatalogEntry> {
  if (value['serviceKind'] !== 'third_party') {
    return refuse(
      "serviceKind must be third_party. Import a shop's own grades with its inventory.",
    );
  }
  const reading = parseObject(GRADE_FIELDS, value, 'A grade');
  return reading.ok
    ? accept({ kind: 'grade', grade: { ...reading.value, serviceKind: 'third_party' } })
    : reading;
}
