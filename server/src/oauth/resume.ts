import type { default as Provider, KoaContextWithOIDC } from 'oidc-provider';
import { DatabaseBusy } from '../database/database.ts';
import type { GrantStore } from './grant-store.ts';

/** `/auth/oauth2/authorize/:uid` as the library sees it. */
const RESUME = /^\/oauth2\/authorize\/./;

/**
 * Gives one code for one consent: the address to which the browser returns is answered in one transaction that holds
 * the interaction, so that of many at once the first gets the code and the others find nothing. The answer goes out
 * after the commit. Use it after `finishAnswers`, which tells what the commit throws.
 */
export function resumeInTurn(provider: Provider, store: GrantStore): void {
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    if (!RESUME.test(ctx.path)) {
      await next();
      return;
    }
    let isFirst = true;
    await store.inTransaction(async () => {
      // The library's middleware runs once; a transaction that has to be run again is the browser's to repeat.
      if (!isFirst) throw new DatabaseBusy('the transaction of a resumed request must be repeated');
      isFirst = false;
      await next();
    });
  });
}
