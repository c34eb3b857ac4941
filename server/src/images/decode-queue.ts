import { KeyedLimiter } from '../base/keyed-limiter.ts';
import { DecoderPool } from './decoder-pool.ts';

/** The worst image takes 510 MB (50 megapixels, interlaced, 16 bits with alpha). */
const CONCURRENCY = 2;
/** Images of all shops: at 0.2 s each, the last one starts within seconds. */
const WAITING_MAX = 100;
/** Half of the total is left to other shops. */
const SHOP_WAITING_MAX = 50;
/** Below a handler's time limit. */
const WAIT_MS_MAX = 20_000;

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
