import type { Journal } from './journal.ts';
import type { Pools } from './pools.ts';
import type { Scene } from './scene.ts';
import type { Wire } from './wire.ts';

/** The tools of every case. */
export interface Tools {
  /** The service's public origin. */
  readonly origin: string;
  readonly scene: Scene;
  readonly wire: Wire;
  readonly journal: Journal;
  readonly pools: Pools;
}
