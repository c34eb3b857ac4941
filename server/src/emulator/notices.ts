import type { NoticeSender } from '../webhooks/attempt.ts';
import type { NoticeTerms } from './backend.ts';

/** What is done to notices on their way out. */
export class NoticeFaults implements NoticeTerms {
  #isHeld = false;
  #repeatsLeft = 0;

  readonly isHeld = (): boolean => this.#isHeld;

  get repeatsLeft(): number {
    return this.#repeatsLeft;
  }

  hold(): void {
    this.#isHeld = true;
  }

  /** The service looks for what is due when it is told of a change, or within a second. */
  release(): void {
    this.#isHeld = false;
  }

  repeat(count: number): void {
    this.#repeatsLeft = count;
  }

  clear(): void {
    this.#isHeld = false;
    this.#repeatsLeft = 0;
  }

  /** Sends what is to be repeated a second time when the first was taken: the same bytes, the same event id. */
  readonly wrapSender = (sender: NoticeSender): NoticeSender => ({
    send: async (notice, signal) => {
      // Before it goes out: one that is on its way already is none of the next.
      const isRepeated = this.#repeatsLeft > 0;
      if (isRepeated) this.#repeatsLeft -= 1;
      const result = await sender.send(notice, signal);
      if (!isRepeated) return result;
      if (result.kind === 'delivered') return await sender.send(notice, signal);
      this.#repeatsLeft += 1;
      return result;
    },
    close: async () => await sender.close(),
  });
}
