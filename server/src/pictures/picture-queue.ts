import { Lanes } from '../base/lanes.ts';
import { DecoderPool } from './decoder-pool.ts';

/**
 * Pictures that are decoded at once, each in a process of its own. At its worst it takes 510 MB (50 interlaced megapixels of
 * 16 bits with alpha; a progressive JPEG takes 160 MB).
 */
const AT_ONCE = 2;
/** Pictures of all shops that wait: at 0.2 s each the last one's turn comes within seconds. */
const WAITING_MAX = 100;
/** Pictures of one shop that wait: half of all are left to others. */
const SHOP_WAITING_MAX = 50;
/** Longest wait, below the time that a handler has. */
const WAIT_MS_MAX = 20_000;

/** Lets pictures be decoded a few at a time, and every shop have its turn. */
export class PictureQueue {
  readonly decoders: DecoderPool;
  readonly #shops: Lanes;
  readonly #all: Lanes;
  #decoding = 0;
  #taken = 0;

  constructor({
    waitingMax = WAITING_MAX,
    shopWaitingMax = SHOP_WAITING_MAX,
    decoders = new DecoderPool(),
  } = {}) {
    this.decoders = decoders;
    // One of a shop at once: a shop that sends a thousand leaves the other place to the others.
    this.#shops = new Lanes({ atOnce: 1, waitingMax: shopWaitingMax, waitMsMax: WAIT_MS_MAX });
    this.#all = new Lanes({ atOnce: AT_ONCE, waitingMax, waitMsMax: WAIT_MS_MAX });
  }

  /** Pictures that are decoded now. */
  get decoding(): number {
    return this.#decoding;
  }

  /** Pictures that wait for their turn. */
  get waiting(): number {
    return this.#taken - this.#decoding;
  }

  /** Runs `work` when it is the shop's turn; undefined (and nothing is run) when too many wait, or it waited too long. */
  async take<T>(
    shopId: string,
    work: () => Promise<T>,
  ): Promise<{ readonly value: T } | undefined> {
    const decode = async (): Promise<T> => {
      this.#decoding += 1;
      try {
        return await work();
      } finally {
        this.#decoding -= 1;
      }
    };
    this.#taken += 1;
    try {
      const turn = await this.#shops.take(shopId, async () => await this.#all.take('all', decode));
      return turn?.value;
    } finally {
      this.#taken -= 1;
    }
  }
}
