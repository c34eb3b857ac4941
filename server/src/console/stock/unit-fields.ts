import { html } from 'hono/html';
import { textField as textReader } from '../../base/field.ts';
import { CODE_CHARACTERS_MAX } from '../../inventory/text-bounds.ts';
import type { Markup } from '../../pages/page.ts';
import { currencyDigits } from '../../shops/currency-digits.ts';
import { parseAmount } from '../amount-text.ts';
import { localTextOf, parseLocalInstant } from '../local-instant.ts';
import { selectField, textField } from '../parts/field.ts';
import { faultOf, type FormFault } from '../parts/notes.ts';
import type { Visit } from '../visit.ts';
import { unitFieldMessages, unitMessages } from './messages/unit.ts';

/** The fields of a unit that a person types, in the order of the form. */
export const UNIT_FIELDS = [
  'price',
  'cost',
  'certNumber',
  'serialNumber',
  'ownership',
  'acquiredAt',
] as const;
export type UnitFieldName = (typeof UNIT_FIELDS)[number];

/** What stands in each field. */
export type UnitFieldTexts = Readonly<Record<UnitFieldName, string>>;

/** What the fields say. A cost that the member may not see is undefined. */
export interface UnitFieldValues {
  readonly priceMinor: number | null;
  readonly costMinor: number | null | undefined;
  readonly certNumber: string | null;
  readonly serialNumber: string | null;
  readonly ownership: 'owned' | 'consigned';
  readonly acquiredAt: Date | null;
}

const code = textReader(CODE_CHARACTERS_MAX, 'A number on the piece.');

/** The texts of a form that was sent; what was not sent is empty. */
export function textsOfForm(form: Visit['form']): UnitFieldTexts {
  const text = (name: UnitFieldName): string => form.get(name) ?? '';
  return {
    price: text('price'),
    cost: text('cost'),
    certNumber: text('certNumber').trim(),
    serialNumber: text('serialNumber').trim(),
    ownership: text('ownership'),
    acquiredAt: text('acquiredAt'),
  };
}

/** Reads the fields. `acquiredBefore` stays to the millisecond where its text was left as it was shown. */
export function readUnitFields(
  visit: Visit,
  texts: UnitFieldTexts,
  currency: string,
  acquiredBefore: Date | null,
): { readonly values: UnitFieldValues; readonly faults: readonly FormFault[] } {
  const messages = unitFieldMessages[visit.language];
  const faults: FormFault[] = [];
  const amount = (field: 'price' | 'cost'): number | null => {
    const parsed = parseAmount(texts[field], currency);
    if (parsed.kind === 'amount') return parsed.minor;
    if (parsed.kind === 'no_amount') faults.push({ field, text: messages.noAmount });
    if (parsed.kind === 'too_large') faults.push({ field, text: messages.tooLarge });
    if (parsed.kind === 'digits') faults.push({ field, text: messages.digits(parsed.digits) });
    return null;
  };
  const short = (field: 'certNumber' | 'serialNumber'): string | null => {
    if (texts[field] === '') return null;
    const reading = code.read(field, texts[field]);
    if (reading.ok) return reading.value;
    faults.push({ field, text: messages.noText });
    return null;
  };
  const values = {
    priceMinor: amount('price'),
    costMinor: visit.may('inventory.cost') ? amount('cost') : undefined,
    certNumber: short('certNumber'),
    serialNumber: short('serialNumber'),
    ownership: texts.ownership === 'consigned' ? ('consigned' as const) : ('owned' as const),
    acquiredAt: readAcquired(visit, texts.acquiredAt, acquiredBefore),
  };
  if (values.acquiredAt === null && texts.acquiredAt !== '') {
    faults.push({ field: 'acquiredAt', text: messages.noInstant });
  }
  return { values, faults };
}

function readAcquired({ format }: Visit, text: string, before: Date | null): Date | null {
  if (before !== null && localTextOf(before, format.zone) === text) return before;
  return parseLocalInstant(text, format.zone);
}

/** What a form of these fields is shown with. */
export interface UnitFieldsState {
  readonly currency: string;
  readonly faults: readonly FormFault[];
  /** What stands in a field now, when somebody else has changed it: told beneath it. */
  readonly meanwhile?: Readonly<Partial<Record<UnitFieldName, string>>>;
}

/** The fields of a form. */
export function renderUnitFields(
  visit: Visit,
  texts: UnitFieldTexts,
  { currency, faults, meanwhile = {} }: UnitFieldsState,
): Markup {
  const words = unitFieldMessages[visit.language];
  const messages = unitMessages[visit.language];
  const common = (name: UnitFieldName, label: string, hint?: string): CommonOptions => ({
    name,
    label,
    value: texts[name],
    hint,
    fault: meanwhile[name] ?? faultOf(faults, name),
    autocomplete: 'off',
    isShort: true,
  });
  const digits = currencyDigits(currency);
  const example = digits === 0 ? '1200' : `12.${'5'.padEnd(digits, '0')}`;
  const hint = words.amountHint(currency, example);
  const acquiredHint = words.acquiredHint(visit.format.zone);
  const owners = [
    { value: 'owned', label: messages.owned },
    { value: 'consigned', label: messages.consigned },
  ];
  return html`${textField({ ...common('price', messages.price, hint), inputMode: 'decimal' })}
  ${
    visit.may('inventory.cost')
      ? textField({ ...common('cost', messages.cost, hint), inputMode: 'decimal' })
      : ''
  }
  ${textField(common('certNumber', messages.certificate))}
  ${textField(common('serialNumber', messages.serial))}
  ${selectField({ ...common('ownership', messages.ownership), choices: owners })}
  ${textField({ ...common('acquiredAt', messages.acquired, acquiredHint), type: 'datetime-local' })}`;
}

interface CommonOptions {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly hint: string | undefined;
  readonly fault: string | null;
  readonly autocomplete: string;
  readonly isShort: boolean;
}
