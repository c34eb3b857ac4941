import {
  type Backend,
  type BackendOptions,
  openBackend,
  type DeliveryInterceptors,
} from './backend.ts';
import { RequestLog } from './request-log.ts';
import { StockChanger } from './stock-changes.ts';
import { WireFaults } from './wire-faults.ts';
import { type Clock, useAsDateNow } from '../base/clock.ts';
import type { WebhookSender } from '../webhooks/attempt.ts';

export type EmulationOptions = Omit<BackendOptions, 'publicUrl' | 'clock' | 'notices'>;

export class Emulation implements AsyncDisposable {
  readonly clock = new ShiftedClock();
  readonly faults = new WireFaults(this.clock);
  readonly notices = new DeliveryFaults();
  readonly log = new RequestLog(this.clock);
  readonly stockChanger = new StockChanger();
  readonly redirectUris: readonly string[];
  readonly #options: EmulationOptions;
  #publicUrl = '';
  #backend: Backend | null = null;
  #lastTask: Promise<unknown> = Promise.resolve();
  #isOver = false;

  constructor(options: EmulationOptions) {
    this.#options = options;
    this.redirectUris = options.redirectUris;
  }

  get publicUrl(): string {
    return this.#publicUrl;
  }

  /** @throws Error while the emulator is starting */
  get backend(): Backend {
    if (this.#backend === null) throw new Error('the emulator is not ready yet');
    return this.#backend;
  }

  /** The URL of the service, or null before it has started. */
  get target(): string | null {
    return this.#backend?.url ?? null;
  }

  async start(publicUrl: string): Promise<void> {
    this.#publicUrl = publicUrl;
    await this.#enqueue(async () => await this.#open());
  }

  /** Restores the initial data, removes all faults and resets the clock. */
  async reset(): Promise<void> {
    await this.#enqueue(async () => {
      this.clock.reset();
      this.faults.clear();
      this.notices.clear();
      this.stockChanger.reset();
      await this.#backend?.restore();
      this.log.clear();
    });
  }

  async #open(): Promise<void> {
    if (this.#isOver) return;
    const { clock, notices } = this;
    const publicUrl = this.#publicUrl;
    this.#backend = await openBackend({ ...this.#options, publicUrl, clock, notices });
  }

  async #enqueue(work: () => Promise<void>): Promise<void> {
    const previousTask = this.#lastTask;
    const task = (async (): Promise<void> => {
      await previousTask.catch(() => {
        // The caller that requested this work has received the error.
      });
      await work();
    })();
    this.#lastTask = task;
    await task;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#lastTask.catch(() => {
      // The caller that requested this work has received the error.
    });
    await this.#backend?.[Symbol.asyncDispose]();
    this.clock[Symbol.dispose]();
  }
}

/**
 * A clock with the machine's time plus an offset. It also shifts `Date.now` of this process until
 * it is disposed of, because oidc-provider dates tokens and checks their expiry with `Date.now`.
 */
class ShiftedClock implements Clock, Disposable {
  readonly #machineNow = Date.now;
  readonly #dateNow = useAsDateNow(this);
  #aheadMs = 0;

  get aheadSeconds(): number {
    return this.#aheadMs / 1_000;
  }

  now(): Date {
    return new Date(this.#machineNow() + this.#aheadMs);
  }

  advance(seconds: number): void {
    this.#aheadMs += seconds * 1_000;
  }

  reset(): void {
    this.#aheadMs = 0;
  }

  [Symbol.dispose](): void {
    this.#dateNow[Symbol.dispose]();
  }
}

class DeliveryFaults implements DeliveryInterceptors {
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
