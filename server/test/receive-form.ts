import { formTo, hasFormTo, type PlainBrowser, type VisitedPage } from './plain-browser.ts';

type Fields = Readonly<Record<string, string>>;

/** A line of the receiving form. */
export interface ShownLine {
  readonly id: string;
  readonly quantity: string;
  readonly texts: Fields;
}

/** Submits the receiving form as a barcode scanner does: it types the text and presses Enter. */
export async function scan(
  browser: PlainBrowser,
  page: VisitedPage,
  text: string,
  fields: Fields = {},
): Promise<VisitedPage> {
  const form = formTo(page, '/receive', { add: '1' });
  return await browser.submit(page, form, { scan: text, ...fields });
}

/** Returns the lines that the form shows, the last changed line first. */
export function linesOf(page: VisitedPage): readonly ShownLine[] {
  const { fields } = formTo(page, '/receive');
  const lines: unknown = JSON.parse(fields['lines'] ?? '');
  if (!Array.isArray(lines)) throw new Error('no lines');
  return lines.map((line: Fields) => {
    const id = line['id'] ?? '';
    return { id, quantity: fields[`quantity.${id}`] ?? '', texts: line };
  });
}

/** Returns whether a receipt in the list of today's receipts can be undone. */
export function isUndoable(page: VisitedPage, id: string): boolean {
  return hasFormTo(page, `/receipts/${id}/undo`);
}
