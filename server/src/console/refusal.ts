import type { Permission } from '../shops/permission.ts';

/** Thrown before a handler runs, and shown as a page. */
export type Refusal =
  /** The person is not signed in in this browser, and is redirected to the sign-in page. */
  | {
      readonly kind: 'sign_in';
      readonly next: string | null;
      /** The `Set-Cookie` that stores the posted form as a draft until the person has signed in. */
      readonly formDraft?: string | null;
    }
  /**
   * The page or shop does not exist, or the person is not an active member of the shop. The
   * response is the same in all three cases.
   */
  | { readonly kind: 'not_found' }
  /** The shop is closed. Only its members learn this; others get `not_found`. */
  | { readonly kind: 'shop_closed'; readonly name: string }
  | { readonly kind: 'no_permission'; readonly needed: readonly Permission[] }
  /** The form was not issued to this browser and session. */
  | { readonly kind: 'stale_form' }
  | { readonly kind: 'broken_form' }
  | { readonly kind: 'too_many' | 'too_many_exports'; readonly retryAfterSeconds: number };

/** Carries a refusal from the gate to the scope's error handler. */
export class ConsoleRefusal extends Error {
  override name = 'ConsoleRefusal';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.kind);
    this.refusal = refusal;
  }
}
