import type { Journal } from './journal.ts';
import type { Pools } from './pools.ts';
import type { Scene } from './scene.ts';
import type { RequestSender } from './request-sender.ts';

/** What every case uses. */
export interface Tools {
  /** The service's public origin. */
  readonly origin: string;
  readonly scene: Scene;
  readonly sender: RequestSender;
  readonly journal: Journal;
  readonly pools: Pools;
}
