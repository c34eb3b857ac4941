import type { MessagePort } from 'node:worker_threads';
import type { CardsText } from './index-source.ts';
import type { IndexSize } from './layered-index.ts';

/** What an index's thread is started with. */
export interface IndexStart {
  /** Brings the pages of the base, each a `PageMessage`. */
  readonly pages: MessagePort;
  /** One Int32 that is rung (`Atomics.notify`) when a page has come: the thread waits for pages without its event loop. */
  readonly bell: SharedArrayBuffer;
}

/** A page of cards; null: that was the last. */
export type PageMessage = CardsText | null;

/** What the main thread says to the index's thread. `call` names the answer. */
export type ToIndex =
  | {
      readonly kind: 'apply';
      readonly call: number;
      readonly ids: string;
      readonly text: CardsText;
    }
  | { readonly kind: 'find'; readonly call: number; readonly text: string; readonly limit: number };

/** What the index's thread says. */
export type FromIndex =
  /** A page was taken in: there is room for another. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'built'; readonly size: IndexSize }
  | { readonly kind: 'applied'; readonly call: number; readonly size: IndexSize }
  | { readonly kind: 'found'; readonly call: number; readonly ids: readonly string[] };
