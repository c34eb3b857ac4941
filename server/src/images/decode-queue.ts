import { FairLimiter } from '../base/fair-limiter.ts';
import { DecoderPool } from './decoder-pool.ts';

/** One decode uses up to 510 MB of memory (50 megapixels, interlaced, 16-bit RGBA). */
const CONCURRENCY = 2;
/** The limit for all shops. At 0.2 s each, the last waiting image starts within seconds. */
const WAITING_MAX = 100;
const SHOP_WAITING_MAX = 50;
/** The maximum wait, which is shorter than the time limit of a handler. */
const WAIT_MS_MAX = 20_000;

export class DecodeQueue extends FairLimiter {
  readonly decoders: DecoderPool;

  constructor({
    waitingMax = WAITING_MAX,
    shopWaitingMax = SHOP_WAITING_MAX,
    decoders = new DecoderPool(),
  } = {}) {
    // Decode one image per shop at a time, so that a shop that sends a thousand images leaves the
    // second slot free.
    super({
      bounds: [
        { running: CONCURRENCY, waiting: waitingMax },
        { running: 1, waiting: shopWaitingMax },
      ],
      waitMsMax: WAIT_MS_MAX,
    });
    this.decoders = decoders;
  }
}
