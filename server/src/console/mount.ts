import type { FastifyInstance } from 'fastify';
import { ApiError, toApiError } from '../http/errors.ts';
import { MEMBER_WRITES, takeTurns } from '../http/write-turns.ts';
import { endSession } from '../shops/session.ts';
import { languageOf, sendOn } from '../signin/browser.ts';
import { goTo } from './answer.ts';
import { mountAssets } from './assets.ts';
import type { ConsoleDeps, ConsoleOptions } from './deps.ts';
import { ConsoleGate } from './gate.ts';
import { CatalogPicks } from './parts/pick.ts';
import { faultPage, refusalPage, sendRefusal } from './refusal-page.ts';
import { ConsoleRefusal } from './refusal.ts';
import {
  accountRoutes,
  type Answering,
  CONSOLE,
  type ConsoleRoute,
  sectionRoutes,
} from './routes.ts';
import { ACCOUNT_SECTIONS, SHOP_SECTIONS } from './sections.ts';

/** Largest posted form: 20 redirect URIs of 2,048 characters, as typed and as shown, percent-encoded twice. */
const FORM_BYTES_MAX = 524_288;

/**
 * Mounts the members' pages under `/console`. Returns every page and form mounted, so that a test
 * can request them all.
 */
export async function mountConsole(
  app: FastifyInstance,
  options: ConsoleOptions,
): Promise<readonly ConsoleRoute[]> {
  const deps: ConsoleDeps = {
    ...options,
    picks: new CatalogPicks(options),
    write: takeTurns(options.db, MEMBER_WRITES),
  };
  const answering: Answering = {
    gate: new ConsoleGate(deps),
    isSecure: options.publicUrl.startsWith('https:'),
  };
  const list: ConsoleRoute[] = [];
  await app.register(
    async (scope) => {
      readForms(scope);
      useErrorPages(scope, options, answering.gate);
      mountAssets(scope);
      mountSignOut(scope, deps, answering, list);
      for (const mount of ACCOUNT_SECTIONS) {
        await mount(accountRoutes(scope, answering, list), deps);
      }
      for (const mount of SHOP_SECTIONS) {
        await scope.register(async (section) => {
          await mount(sectionRoutes(section, answering, list), deps);
        });
      }
    },
    { prefix: CONSOLE },
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
  answering: Answering,
  list: ConsoleRoute[],
): void {
  const routes = accountRoutes(scope, answering, list);
  routes.action('/sign-out', async ({ sessionSecret }) => {
    await endSession(db, sessionSecret);
    return goTo('/signin', null, [signIn.cookie.clear()]);
  });
}

function useErrorPages(scope: FastifyInstance, options: ConsoleOptions, gate: ConsoleGate): void {
  scope.setErrorHandler(async (error, request, reply) => {
    const language = languageOf(request);
    const home = gate.homeOf(request);
    if (error instanceof ConsoleRefusal) {
      const { refusal } = error;
      if (refusal.kind === 'sign_in') {
        const next = refusal.next === null ? '' : `?next=${encodeURIComponent(refusal.next)}`;
        return sendOn(reply, `/signin${next}`);
      }
      if (refusal.kind === 'too_many') {
        reply.header('retry-after', String(refusal.retryAfterSeconds));
      }
      return await sendRefusal(request, reply, language, refusalPage(language, refusal), home);
    }
    const fault = toApiError(error, options.isUnavailable);
    if (fault.statusCode >= 500) {
      const fields = { requestId: request.id, method: request.method };
      if (fault.statusCode === 503 && scope.isToldOnce(error)) {
        // The outage was already logged, once for all requests.
      } else if (fault.statusCode === 503) options.log.warn(fields, 'a page could not be shown');
      else options.log.error({ ...fields, error }, 'a page failed');
    }
    reply.headers(fault.headers);
    if (fault.statusCode === 404) {
      const page = refusalPage(language, { kind: 'not_found' });
      return await sendRefusal(request, reply, language, page, home);
    }
    return await sendRefusal(
      request,
      reply,
      language,
      faultPage(language, fault.statusCode, request.id),
      home,
    );
  });
  // Never runs, because the server's hook refuses unknown paths first. With it, Fastify answers
  // them by this scope's error handler.
  scope.setNotFoundHandler((_request, _reply): void => {
    throw new ApiError(404, 'not_found');
  });
}
