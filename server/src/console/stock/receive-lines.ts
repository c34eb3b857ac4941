import { isUuid } from '../../base/field.ts';
import { parseJson } from '../../base/json.ts';
import { UNIT_BATCH_MAX } from '../../inventory/unit.ts';
import { parseCount } from '../parse-count.ts';
import {
  type FieldsOf,
  type Inputs,
  inputsOf,
  readFields,
  type RefuseInput,
} from '../parts/form/form-field.ts';
import type { PickedItem } from '../parts/item-field.ts';
import type { RequestContext } from '../request-context.ts';
import type { BoostOffer } from './boost-offer.ts';
import { certificatesPerUnit, certificatesField, QUANTITY_MAX } from './certificates-field.ts';
import type { ChosenPlace } from './place-choice.ts';
import type { UnitValues } from './unit-fields.ts';
import { certificateMessages, receiveMessages } from './messages/unit.ts';
import { receiveLineMessages } from './messages/receive.ts';

/** Each line has at most three inputs, and the form at most `CONSOLE_FIELDS_MAX`. */
export const LINES_MAX = 100;

/** The values that a line copies from the form when it is added. A product has no grade. */
export interface LineValues extends Omit<UnitValues, 'certNumber' | 'serialNumber'> {
  readonly place: ChosenPlace;
  readonly grade: string | null;
}

export interface ReceiveLine {
  /** The id of the line's receipt, so that a form sent twice writes the line once. */
  readonly id: string;
  readonly item: PickedItem;
  readonly values: LineValues;
  /** The boost that the form has offered for the line, or null. */
  readonly offeredId: string | null;
}

/** A line with the values that the member typed into it. */
export interface FilledLine extends ReceiveLine {
  /** The certificate number of each unit, or null. */
  readonly certificates: readonly (string | null)[];
  readonly offer: BoostOffer;
}

export const lineInputs = {
  quantity: (id: string): string => `quantity.${id}`,
  certificates: (id: string): string => `certificates.${id}`,
  boost: (id: string): string => `boost.${id}`,
};

/** The posted content of a line: texts as the member typed them. */
type LineTexts = Readonly<Record<string, string>>;

/** Returns the text of the hidden input that carries the lines. */
export function serializeLines(
  fields: FieldsOf<LineValues>,
  lines: readonly ReceiveLine[],
): string {
  return JSON.stringify(lines.map((line) => serializeLine(fields, line)));
}

function serializeLine(
  fields: FieldsOf<LineValues>,
  { id, item, values, offeredId }: ReceiveLine,
): LineTexts {
  const texts = Object.fromEntries(inputsOf(fields, values));
  const offered = offeredId === null ? {} : { offered: offeredId };
  return item.kind === 'product'
    ? { id, product: item.productId, ...offered, ...texts }
    : { id, card: item.cardId, ...offered, ...texts };
}

/** Returns the lines in the posted form. A malformed line is left out. */
export function parseLines(fields: FieldsOf<LineValues>, inputs: Inputs): readonly ReceiveLine[] {
  const lines = new Map<string, ReceiveLine>();
  for (const texts of parseTexts(inputs.get('lines')).slice(0, LINES_MAX)) {
    const line = parseLine(fields, texts);
    if (line !== null) lines.set(line.id, line);
  }
  return [...lines.values()];
}

function parseTexts(text: string | undefined): readonly Inputs[] {
  const json = parseJson(text ?? '[]');
  if (json.kind !== 'value' || !Array.isArray(json.value)) return [];
  return json.value.map((each: unknown) => {
    const texts = typeof each === 'object' && each !== null ? each : {};
    return new Map(Object.entries(texts).map(([name, value]) => [name, String(value)]));
  });
}

function parseLine(fields: FieldsOf<LineValues>, texts: Inputs): ReceiveLine | null {
  const [id, card, product, offered] = ['id', 'card', 'product', 'offered'].map((name) =>
    texts.get(name)?.toLowerCase(),
  );
  const values = readFields(fields, texts, () => undefined);
  if (!isUuid(id) || values === null) return null;
  const offeredId = isUuid(offered) ? offered : null;
  if (isUuid(product)) {
    return { id, item: { kind: 'product', productId: product }, values, offeredId };
  }
  if (!isUuid(card)) return null;
  const item = { kind: 'card', cardId: card, gradeId: values.grade } as const;
  return { id, item, values, offeredId };
}

/**
 * Returns the form with one more unit of an item. If a line differs from `added` only in its
 * quantity, that quantity increases; otherwise `added` becomes a new line. The changed line moves
 * to the top. Returns null if the form is full.
 */
export function addUnitToLines(
  fields: FieldsOf<LineValues>,
  inputs: Inputs,
  added: ReceiveLine,
): Inputs | null {
  const lines = parseLines(fields, inputs);
  const textOf = (line: ReceiveLine): string =>
    JSON.stringify(serializeLine(fields, { ...line, id: '', offeredId: null }));
  const same = lines.find((line) => textOf(line) === textOf(added));
  if (same === undefined && lines.length >= LINES_MAX) return null;
  const line = same ?? added;
  const others = lines.filter((each) => each !== same);
  const name = lineInputs.quantity(line.id);
  // An invalid quantity stays as it was typed, and is rejected when the form is sent.
  const count = same === undefined ? 0 : parseCount(inputs.get(name) ?? '', 1, UNIT_BATCH_MAX);
  return new Map(inputs)
    .set('lines', serializeLines(fields, [line, ...others]))
    .set(name, count === null ? (inputs.get(name) ?? '') : String(count + 1));
}

export function removeLine(fields: FieldsOf<LineValues>, inputs: Inputs, id: string): Inputs {
  const left = parseLines(fields, inputs).filter((line) => line.id !== id);
  return new Map(inputs).set('lines', serializeLines(fields, left));
}

/** Reads what was typed into the lines. Calls `refuse` for each line that is not valid. */
export function readFilledLines(
  context: RequestContext,
  lines: readonly ReceiveLine[],
  inputs: Inputs,
  refuse: RefuseInput,
): readonly FilledLine[] | undefined {
  const filled = lines.map((line) => readFilledLine(context, line, inputs, refuse));
  if (filled.includes(undefined)) return undefined;
  const complete = filled.filter((line) => line !== undefined);
  const units = complete.reduce((sum, { certificates }) => sum + certificates.length, 0);
  if (units <= UNIT_BATCH_MAX) return complete;
  const text = receiveLineMessages[context.language].tooManyUnits(UNIT_BATCH_MAX);
  return refuse(lineInputs.quantity(lines[0]?.id ?? ''), text);
}

function readFilledLine(
  context: RequestContext,
  line: ReceiveLine,
  inputs: Inputs,
  refuse: RefuseInput,
): FilledLine | undefined {
  const { language } = context;
  const name = lineInputs.quantity(line.id);
  const quantity = parseCount(inputs.get(name) ?? '', 1, QUANTITY_MAX);
  if (quantity === null) return refuse(name, receiveMessages[language].noQuantity);
  const certificates = lineInputs.certificates(line.id);
  const typed = certificatesField(context).read(certificates, inputs, refuse);
  if (typed === undefined) return undefined;
  const numbers = certificatesPerUnit(quantity, typed);
  if (numbers === null) {
    return refuse(certificates, certificateMessages[language].count(typed.length, quantity));
  }
  const isTicked = inputs.get(lineInputs.boost(line.id)) === 'on';
  return { ...line, certificates: numbers, offer: { boostId: line.offeredId, isTicked } };
}
