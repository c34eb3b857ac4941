/** GitHub omits all but letters, marks, digits, connectors, hyphens and spaces from an anchor. */
const REMOVED_CHARACTERS = /[^\p{L}\p{M}\p{Nd}\p{Pc}\- ]/gu;

/** Makes the same heading anchors as GitHub, so that a link works on GitHub and in the service. */
export class HeadingIds {
  readonly #taken = new Map<string, number>();

  /** Returns the anchor of the next heading. `text` must not contain markup. */
  next(text: string): string {
    const base = text.trim().toLowerCase().replaceAll(REMOVED_CHARACTERS, '').replaceAll(' ', '-');
    let id = base;
    let count = this.#taken.get(base) ?? 0;
    while (this.#taken.has(id)) id = `${base}-${++count}`;
    this.#taken.set(base, count);
    this.#taken.set(id, this.#taken.get(id) ?? 0);
    return id;
  }
}
