import type { Journal } from './journal.ts';
import type { ValuePools } from './value-pools.ts';
import type { Scene } from './scene.ts';
import type { RequestSender } from './request-sender.ts';

/** The objects that all fuzz cases share. */
export interface CaseContext {
  /** The service's public origin. */
  readonly origin: string;
  readonly scene: Scene;
  readonly sender: RequestSender;
  readonly journal: Journal;
  readonly pools: ValuePools;
}
