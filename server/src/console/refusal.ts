import type { Permission } from '../shops/permission.ts';

/** Why somebody is not let in, or his form not taken. Thrown on the way to a handler, shown as a page. */
export type RefusalKind =
  /** Nobody is signed in in this browser: sent to the sign-in. */
  | { readonly kind: 'sign_in'; readonly next: string | null }
  /** No such shop, no active member of it, no such page: one answer for all. */
  | { readonly kind: 'not_found' }
  | { readonly kind: 'no_permission'; readonly needed: readonly Permission[] }
  /** The form was not made for this browser and session. */
  | { readonly kind: 'stale_form' }
  | { readonly kind: 'broken_form' }
  | { readonly kind: 'too_many'; readonly retryAfterSeconds: number };

/** Carries a refusal from the gate to the scope's error handler. */
export class ConsoleRefusal extends Error {
  override name = 'ConsoleRefusal';
  readonly refusal: RefusalKind;

  constructor(refusal: RefusalKind) {
    super(refusal.kind);
    this.refusal = refusal;
  }
}
