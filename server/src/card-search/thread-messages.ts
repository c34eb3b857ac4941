import type { MessagePort } from 'node:worker_threads';
import type { CardsText } from './index-source.ts';
import type { IndexSize } from './layered-index.ts';

export interface IndexWorkerData {
  readonly pages: MessagePort;
  /**
   * A shared Int32. `Atomics.notify` on it wakes the thread for each page, so that the thread can
   * wait for pages without its event loop.
   */
  readonly pageSignal: SharedArrayBuffer;
}

export type PageMessage = CardsText | null;

/** A message to the thread. `callId` relates the reply to it. */
export type MessageToIndex =
  | {
      readonly kind: 'apply';
      readonly callId: number;
      readonly ids: string;
      readonly text: CardsText;
    }
  | {
      readonly kind: 'find';
      readonly callId: number;
      readonly text: string;
      readonly limit: number;
    };

export type MessageFromIndex =
  | { readonly kind: 'taken' }
  | { readonly kind: 'built'; readonly size: IndexSize }
  | { readonly kind: 'applied'; readonly callId: number; readonly size: IndexSize }
  | { readonly kind: 'found'; readonly callId: number; readonly ids: readonly string[] };
