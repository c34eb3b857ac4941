import type { FastifyInstance } from 'fastify';
import { ApiError, toApiError } from '../http/errors.ts';
import { MEMBER_WRITE_LIMITS, createWriteLimiter } from '../http/write-limiter.ts';
import { endSession } from '../shops/session.ts';
import { languageOf, redirect } from '../sign-in/browser.ts';
import { redirectTo } from './response.ts';
import { mountAssets } from './assets.ts';
import type { ConsoleDeps, ConsoleOptions } from './deps.ts';
import { FileSender } from './file-sender.ts';
import { ConsoleGate } from './gate.ts';
import { CatalogLookup } from './parts/catalog-lookup.ts';
import { errorPage, refusalPage, sendRefusal } from './refusal-page.ts';
import { withQuery } from './query.ts';
import { ConsoleRefusal } from './refusal.ts';
import {
  accountRoutes,
  type RouteDeps,
  CONSOLE_PATH,
  type ConsoleRoute,
  sectionRoutes,
} from './routes.ts';
import { ACCOUNT_SECTIONS, SHOP_SECTIONS } from './sections.ts';

/**
 * The maximum size of a posted form. The largest form contains 20 redirect URIs of 2,048 characters
 * twice: as typed, and in the field `seen`, which is percent-encoded twice.
 */
const FORM_BYTES_MAX = 524_288;

/**
 * Mounts the members' pages under `/console`. Returns all pages and forms, so that a test can
 * request each of them.
 */
export async function mountConsole(
  app: FastifyInstance,
  options: ConsoleOptions,
): Promise<readonly ConsoleRoute[]> {
  const deps: ConsoleDeps = {
    ...options,
    catalogLookup: new CatalogLookup(options),
    write: createWriteLimiter(options.db, MEMBER_WRITE_LIMITS),
  };
  const routeDeps: RouteDeps = {
    gate: new ConsoleGate(deps),
    isSecure: options.publicUrl.startsWith('https:'),
    files: new FileSender(),
  };
  const list: ConsoleRoute[] = [];
  await app.register(
    async (scope) => {
      readForms(scope);
      useErrorPages(scope, options, routeDeps.gate);
      mountAssets(scope);
      mountSignOut(scope, deps, routeDeps, list);
      for (const mount of ACCOUNT_SECTIONS) {
        await mount(accountRoutes(scope, routeDeps, list), deps);
      }
      for (const mount of SHOP_SECTIONS) {
        await scope.register(async (section) => {
          await mount(sectionRoutes(section, routeDeps, list), deps);
        });
      }
    },
    { prefix: CONSOLE_PATH },
  );
  return list;
}

function readForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: FORM_BYTES_MAX },
    (_request, body, done) => done(null, body),
  );
}

function mountSignOut(
  scope: FastifyInstance,
  { db, signIn }: ConsoleDeps,
  routeDeps: RouteDeps,
  list: ConsoleRoute[],
): void {
  const routes = accountRoutes(scope, routeDeps, list);
  routes.action('/sign-out', async ({ sessionSecret }) => {
    await endSession(db, sessionSecret);
    return redirectTo('/signin', null, [signIn.cookie.clear()]);
  });
}

function useErrorPages(scope: FastifyInstance, options: ConsoleOptions, gate: ConsoleGate): void {
  scope.setErrorHandler(async (error, request, reply) => {
    const language = languageOf(request);
    const shopLink = gate.shopLinkOf(request);
    if (error instanceof ConsoleRefusal) {
      const { refusal } = error;
      if (refusal.kind === 'sign_in') {
        const ended = request.method === 'GET' ? null : '1';
        const signIn = withQuery('/signin', { next: refusal.next, ended });
        return redirect(reply, signIn, [refusal.formDraft ?? null]);
      }
      if ('retryAfterSeconds' in refusal) {
        reply.header('retry-after', String(refusal.retryAfterSeconds));
      }
      return await sendRefusal(request, reply, language, refusalPage(language, refusal), shopLink);
    }
    const apiError = toApiError(error, options.isUnavailable);
    if (apiError.statusCode >= 500) {
      const fields = { requestId: request.id, method: request.method };
      if (apiError.statusCode === 503 && scope.isLoggedOnce(error)) {
        // Log nothing here: the outage was already logged, once for all requests.
      } else if (apiError.statusCode === 503) {
        options.log.warn(fields, 'a console page was not shown because the service is unavailable');
      } else {
        options.log.error({ ...fields, error }, 'a console page failed with an unexpected error');
      }
    }
    reply.headers(apiError.headers);
    if (apiError.statusCode === 404) {
      const page = refusalPage(language, { kind: 'not_found' });
      return await sendRefusal(request, reply, language, page, shopLink);
    }
    return await sendRefusal(
      request,
      reply,
      language,
      errorPage(language, apiError.statusCode, request.id),
      shopLink,
    );
  });
  // Without a not-found handler in this scope, Fastify would not use the scope's error handler for
  // unknown paths. The handler never runs, because a hook of the server refuses unknown paths
  // first.
  scope.setNotFoundHandler((_request, _reply): void => {
    throw new ApiError(404, 'not_found');
  });
}
