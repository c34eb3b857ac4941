import type { JsonElement } from '../../base/json-element.ts';
import type { EntryLine } from '../import-entries.ts';
import type { FormReading, ReadElement } from './form.ts';

/** The elements of a file, read in a form. Those that share a line with others are named by their place among them. */
export async function* readElements(
  elements: AsyncIterable<JsonElement>,
  read: ReadElement,
): AsyncGenerator<EntryLine, void> {
  for await (const element of elements) {
    const { number } = element;
    if (element.kind === 'broken') {
      yield { kind: 'broken', number, reason: element.reason };
      continue;
    }
    const reading: FormReading = element.kind === 'value' ? read(element.value) : element;
    if (reading.kind === 'refused') {
      const place = element.ordinal === null ? '' : `Element ${element.ordinal}: `;
      yield { kind: 'refused', number, reason: `${place}${reading.reason}` };
    } else {
      yield { ...reading, number };
    }
  }
}
