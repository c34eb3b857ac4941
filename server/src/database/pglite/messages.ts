import type { MessagePort } from 'node:worker_threads';
import type { SessionLimits } from './session.ts';

/** With what the embedded engine's worker starts. */
export interface WorkerStart {
  /** Where the data is kept, or null for memory. */
  readonly folder: string | null;
  /** In memory: the file of a tar to begin with, instead of an empty cluster. */
  readonly dump: string | null;
  readonly limits: SessionLimits;
}

/** What the main thread tells the worker. */
export type ToWorker =
  | { readonly kind: 'connect'; readonly id: number; readonly port: MessagePort }
  | { readonly kind: 'dump' }
  | { readonly kind: 'close' };

/** What the worker tells the main thread. */
export type FromWorker =
  | { readonly kind: 'ready' }
  /** The engine cannot go on; nothing more is to be expected of it. */
  | { readonly kind: 'fault'; readonly reason: string }
  | { readonly kind: 'dump'; readonly bytes: Uint8Array }
  | { readonly kind: 'closed' };
