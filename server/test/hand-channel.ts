import type { Channel, Topic } from '../src/database/channel.ts';

/** A channel that a test controls. */
export class HandChannel implements Channel {
  proven = true;
  /** The age of the last heartbeat, in milliseconds. */
  ageMs = 0;
  readonly #handlers = new Map<Topic, (payload: string) => void>();
  #reset: () => void = () => undefined;

  subscribe(topic: Topic, handler: (payload: string) => void): void {
    this.#handlers.set(topic, handler);
  }
  onReset(handler: () => void): void {
    this.#reset = handler;
  }
  isProven(): boolean {
    return this.proven;
  }
  provenAgeMs(): number {
    return this.proven ? this.ageMs : Number.POSITIVE_INFINITY;
  }
  say(topic: Topic, payload: string): void {
    this.#handlers.get(topic)?.(payload);
  }
  reset(): void {
    this.#reset();
  }
  async close(): Promise<void> {
    // There is nothing to close.
  }
}
