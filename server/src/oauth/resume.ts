import type { default as Provider, KoaContextWithOIDC } from 'oidc-provider';
import { DatabaseBusy } from '../database/database.ts';
import type { GrantStore } from './grant-store.ts';

/** `/auth/oauth2/authorize/:uid` as the library sees it, without the mount path. */
const RESUME = /^\/oauth2\/authorize\/./;

/**
 * Issues one code per consent: the URL to which the browser returns runs in a transaction that
 * locks the interaction, so of concurrent requests only the first gets the code. Mount it after
 * `finishResponses`, which reports errors of the commit.
 */
export function serializeResumes(provider: Provider, store: GrantStore): void {
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    if (!RESUME.test(ctx.path)) {
      await next();
      return;
    }
    let isFirst = true;
    await store.inTransaction(async () => {
      // The library's middleware cannot run twice, so the browser must repeat the request.
      if (!isFirst) throw new DatabaseBusy('the transaction of a resumed request must be repeated');
      isFirst = false;
      await next();
    });
  });
}
