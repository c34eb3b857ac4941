import { Uint32List } from './uint32-list.ts';

export class SpellingCollector {
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];
  readonly #wordStarts = new Uint32List();

  numberOf(text: string, wordStarts: number): number {
    // Most names are a single word; only names of several words need the longer identity.
    const identity = wordStarts === 1 ? text : `${text}\u0000${wordStarts.toString(36)}`;
    const known = this.#numbers.get(identity);
    if (known !== undefined) return known;
    const number = this.#texts.length;
    this.#numbers.set(identity, number);
    this.#texts.push(text);
    this.#wordStarts.push(wordStarts);
    return number;
  }

  get size(): number {
    return this.#texts.length;
  }

  textOf(number: number): string {
    return this.#texts[number] ?? '';
  }

  wordStartsOf(number: number): number {
    return this.#wordStarts.at(number);
  }
}
