import type { Permission } from '../shops/permission.ts';

/** Why a request or a form is refused. Thrown before a handler runs, and shown as a page. */
export type Refusal =
  /** Not signed in in this browser: redirects to the sign-in. */
  | { readonly kind: 'sign_in'; readonly next: string | null }
  /** No such shop, not an active member of it, or no such page: the same response for all. */
  | { readonly kind: 'not_found' }
  /** To its members; others get `not_found`. */
  | { readonly kind: 'shop_closed'; readonly name: string }
  | { readonly kind: 'no_permission'; readonly needed: readonly Permission[] }
  /** The form was not issued to this browser and session. */
  | { readonly kind: 'stale_form' }
  | { readonly kind: 'broken_form' }
  | { readonly kind: 'too_many'; readonly retryAfterSeconds: number };

/** Carries a refusal from the gate to the scope's error handler. */
export class ConsoleRefusal extends Error {
  override name = 'ConsoleRefusal';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.kind);
    this.refusal = refusal;
  }
}
