import { KeyedLimiter } from '../base/keyed-limiter.ts';
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
export class PictureQueue extends KeyedLimiter {
  readonly decoders: DecoderPool;

  constructor({
    waitingMax = WAITING_MAX,
    shopWaitingMax = SHOP_WAITING_MAX,
    decoders = new DecoderPool(),
  } = {}) {
    // One of a shop at once: a shop that sends a thousand leaves the other place to the others.
    super({
      atOnce: 1,
      waitingMax: shopWaitingMax,
      waitMsMax: WAIT_MS_MAX,
      all: { atOnce: AT_ONCE, waitingMax, waitMsMax: WAIT_MS_MAX },
    });
    this.decoders = decoders;
  }
}
