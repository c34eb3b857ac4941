import type { Queryable } from '../database/database.ts';
import { isSetupOpen } from '../shops/setup-code.ts';

/** The page that makes the first shop. Until there is a shop or an account, nobody can sign in. */
export const SETUP_PATH = '/console/setup';

/**
 * Knows whether the set-up page is open. It does not ask again once the page is closed, because shops
 * and accounts are never deleted, so that the sign-in page is shown while the database is unavailable.
 */
export class SetupState {
  readonly #db: Queryable;
  #isOpen = true;

  constructor(db: Queryable) {
    this.#db = db;
  }

  async isOpen(): Promise<boolean> {
    if (this.#isOpen) this.#isOpen = await isSetupOpen(this.#db);
    return this.#isOpen;
  }
}
