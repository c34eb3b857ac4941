import type { Journal } from './journal.ts';
import type { Pools } from './pools.ts';
import type { Scene } from './scene.ts';
import type { Wire } from './wire.ts';

/** What every case works with. */
export interface Tools {
  /** The origin under which the service knows itself. */
  readonly origin: string;
  readonly scene: Scene;
  readonly wire: Wire;
  readonly journal: Journal;
  readonly pools: Pools;
}
