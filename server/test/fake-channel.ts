import type { Channel, Topic } from '../src/database/channel.ts';

export class FakeChannel implements Channel {
  live = true;
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
  isLive(): boolean {
    return this.live;
  }
  heartbeatAgeMs(): number {
    return this.live ? this.ageMs : Number.POSITIVE_INFINITY;
  }
  notify(topic: Topic, payload: string): void {
    this.#handlers.get(topic)?.(payload);
  }
  reset(): void {
    this.#reset();
  }
  async close(): Promise<void> {
    // A fake channel has no resources to close.
  }
}
