import type { JsonElement } from '../../import/json-elements.ts';
import type { EntryLine } from '../import-entries.ts';
import type { ReadElement } from './format.ts';

/** Reads the entries of elements. If a line has several elements, errors state which one. */
export async function* readElements(
  elements: AsyncIterable<JsonElement>,
  read: ReadElement,
): AsyncGenerator<EntryLine, void> {
  for await (const element of elements) {
    if (element.kind === 'broken') {
      yield element;
      continue;
    }
    const { number } = element;
    const reading = read(element.value);
    if (reading.kind === 'refused') {
      const place = element.ordinal === null ? '' : `Element ${element.ordinal}: `;
      yield { kind: 'refused', number, reason: `${place}${reading.reason}` };
    } else {
      yield { ...reading, number };
    }
  }
}
