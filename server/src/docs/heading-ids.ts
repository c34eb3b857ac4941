/** What GitHub leaves out of an anchor: everything but letters, marks, digits, connectors, hyphens and spaces. */
const LEFT_OUT = /[^\p{L}\p{M}\p{Nd}\p{Pc}\- ]/gu;

/**
 * Gives the headings of one page the anchors that GitHub gives them, so that a link leads to the same place in both: lower
 * case, spaces as hyphens, and a number behind the second of the same name.
 */
export class HeadingIds {
  readonly #taken = new Map<string, number>();

  /** The anchor of the next heading, by its text without markup. */
  next(text: string): string {
    const base = text.trim().toLowerCase().replaceAll(LEFT_OUT, '').replaceAll(' ', '-');
    let id = base;
    let count = this.#taken.get(base) ?? 0;
    while (this.#taken.has(id)) id = `${base}-${++count}`;
    this.#taken.set(base, count);
    this.#taken.set(id, this.#taken.get(id) ?? 0);
    return id;
  }
}
