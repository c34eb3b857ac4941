import type { default as Provider, KoaContextWithOIDC } from 'oidc-provider';
import { DatabaseBusy } from '../database/database.ts';
import type { GrantStore } from './grant-store.ts';

/** Matches `/auth/oauth2/authorize/:uid` without the mount path, as the library sees it. */
const RESUME = /^\/oauth2\/authorize\/./;

/**
 * Makes one consent produce only one code. Each request to the resume URL locks the interaction
 * until the transaction of the request ends, so only the first of several concurrent requests gets
 * a code. Call this after `finishResponses`, whose middleware reports errors of the commit.
 */
export function serializeResumes(provider: Provider, store: GrantStore): void {
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    if (!RESUME.test(ctx.path)) {
      await next();
      return;
    }
    let isFirst = true;
    await store.inTransaction(async () => {
      // `inTransaction` repeats its work after some errors, but the library's middleware cannot run
      // twice for one request. The browser must repeat the request instead.
      if (!isFirst) throw new DatabaseBusy('the transaction of a resumed request must be repeated');
      isFirst = false;
      await next();
    });
  });
}
