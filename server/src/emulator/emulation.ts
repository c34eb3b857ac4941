import { type Backend, type BackendOptions, openBackend } from './backend.ts';
import { DeliveryFaults } from './delivery-faults.ts';
import { RequestLog } from './request-log.ts';
import { ShiftedClock } from './shifted-clock.ts';
import { StockChanger } from './stock-changes.ts';
import { WireFaults } from './wire-faults.ts';

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
