import type { Queryable } from '../database/database.ts';
import { isSetupOpen } from '../shops/setup-code.ts';

/** This page replaces the sign-in page until there is a shop or an account. */
export const SETUP_PATH = '/console/setup';

/**
 * Returns whether the set-up page is open. Shops and accounts are never deleted, so once the page
 * is closed, it stays closed and the database is not queried again. The sign-in page is then shown
 * even while the database is unavailable.
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
