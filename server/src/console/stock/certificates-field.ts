import { textField as textReader } from '../../base/field.ts';
import { CODE_CHARACTERS_MAX } from '../../inventory/text-limits.ts';
import { textAreaField } from '../parts/field.ts';
import { singleInput } from '../parts/form/fields.ts';
import type { FormField } from '../parts/form/form-field.ts';
import type { RequestContext } from '../request-context.ts';
import { certificateMessages, unitFieldMessages } from './messages/unit.ts';

/** The maximum number of units of one line. */
export const QUANTITY_MAX = 100;

const code = textReader(CODE_CHARACTERS_MAX, 'A certificate number.');

/** Creates the field for the certificate numbers of a line's units, one per line of text. */
export function certificatesField({ language }: RequestContext): FormField<readonly string[]> {
  const messages = certificateMessages[language];
  return singleInput<readonly string[]>({
    label: messages.label,
    show: (numbers) => numbers.join('\n'),
    read: (text, refuse) => {
      const numbers = text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
      const doubled = numbers.find((each, index) => numbers.indexOf(each) !== index);
      if (doubled !== undefined) return refuse(messages.doubled(doubled));
      const isValid = numbers.every((each) => code.parse('certificate', each).ok);
      return isValid ? numbers : refuse(unitFieldMessages[language].noText);
    },
    render: (state) =>
      textAreaField({
        ...state,
        hint: messages.hint,
        rows: 2,
        // `:placeholder-shown` lets the style sheet tell whether the field is empty.
        placeholder: ' ',
        maxLength: QUANTITY_MAX * (CODE_CHARACTERS_MAX + 2),
      }),
  });
}

/**
 * Returns a list with the certificate number of each unit, or with nulls if no numbers were typed.
 * With a quantity of 1, each certificate number becomes a unit. Returns null if the number of
 * certificates does not match the quantity.
 */
export function certificatesPerUnit(
  quantity: number,
  certificates: readonly string[],
): readonly (string | null)[] | null {
  if (certificates.length === 0) return Array.from({ length: quantity }, () => null);
  const isCounted = quantity === 1 && certificates.length <= QUANTITY_MAX;
  return isCounted || certificates.length === quantity ? certificates : null;
}
