import { isObject, type ParseResult, accept, parseMembers, refuse } from '../base/field.ts';
import { parseObject } from '../base/object-fields.ts';
import { CARD_FIELDS } from './card.ts';
import type { CatalogEntry } from './entry.ts';
import { id, isActive } from './entry-fields.ts';
import { GRADE_FIELDS } from './grade.ts';
import { PRODUCT_FIELDS } from './product.ts';

const activationFields = { id, isActive };

/**
 * Parses one line of a catalog file (decision 0009). A line with only `id` and `isActive` activates
 * or deactivates an entry. A line with `productKind` is a product, one with `serviceKind` a
 * third-party grade, and any other line a card (spec 2.2). Unknown members are ignored.
 */
export function readCatalogLine(value: unknown): ParseResult<CatalogEntry> {
  if (!isObject(value)) return refuse('The line must be a JSON object.');
  if (isActivation(value)) return readActivationLine(value);
  const isProduct = value['productKind'] !== undefined;
  const isGrade = value['serviceKind'] !== undefined;
  if (isProduct && isGrade) {
    return refuse('A line cannot be both a product (productKind) and a grade (serviceKind).');
  }
  if (isProduct) return readProductLine(value);
  return isGrade ? readGradeLine(value) : readCardLine(value);
}

/** A line with further members may be an incomplete entry, so it is not an activation. */
function isActivation(value: Readonly<Record<string, unknown>>): boolean {
  const members = Object.keys(value);
  return members.length === 2 && members.includes('id') && members.includes('isActive');
}

function readActivationLine(value: unknown): ParseResult<CatalogEntry> {
  const reading = parseMembers(activationFields, value, 'refuse');
  if (!reading.ok) return reading;
  const { id: entryId, isActive: isOn } = reading.value;
  if (entryId === undefined || isOn === undefined) {
    return refuse('A line that only sets isActive must contain id and isActive.');
  }
  return accept({ kind: 'activation', id: entryId, isActive: isOn });
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
