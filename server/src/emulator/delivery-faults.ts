import type { WebhookSender } from '../webhooks/attempt.ts';
import type { DeliveryInterceptors } from './backend.ts';

export class DeliveryFaults implements DeliveryInterceptors {
  #isHeld = false;
  #repeatsLeft = 0;

  readonly isHeld = (): boolean => this.#isHeld;

  get repeatsLeft(): number {
    return this.#repeatsLeft;
  }

  hold(): void {
    this.#isHeld = true;
  }

  /** Ends the hold. The service checks for due events at the next change, or within a second. */
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

  /** Sends an accepted event a second time, with the same bytes and event id. */
  readonly wrapSender = (sender: WebhookSender): WebhookSender => ({
    send: async (notice, signal) => {
      // Decide before the send: a repeat that is requested during a send applies to the next event.
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
