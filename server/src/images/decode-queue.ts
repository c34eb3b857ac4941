import { KeyedLimiter } from '../base/keyed-limiter.ts';
import { DecoderPool } from './decoder-pool.ts';

/**
 * Pictures decoded at once, each in a child process. The worst case takes 510 MB (50 megapixels,
 * interlaced, 16 bits with alpha; a progressive JPEG takes 160 MB).
 */
const CONCURRENCY = 2;
/** Waiting pictures of all shops: at 0.2 s each, the last one starts within seconds. */
const WAITING_MAX = 100;
/** Waiting pictures of one shop: half of the total is left to the others. */
const SHOP_WAITING_MAX = 50;
/** Longest wait, below a handler's time limit. */
const WAIT_MS_MAX = 20_000;

/** Limits how many pictures are decoded at once and shares the capacity among the shops. */
export class DecodeQueue extends KeyedLimiter {
  readonly decoders: DecoderPool;

  constructor({
    waitingMax = WAITING_MAX,
    shopWaitingMax = SHOP_WAITING_MAX,
    decoders = new DecoderPool(),
  } = {}) {
    // One per shop at once: a shop that sends a thousand leaves the other slot free.
    super({
      concurrency: 1,
      waitingMax: shopWaitingMax,
      waitMsMax: WAIT_MS_MAX,
      all: { concurrency: CONCURRENCY, waitingMax, waitMsMax: WAIT_MS_MAX },
    });
    this.decoders = decoders;
  }
}
