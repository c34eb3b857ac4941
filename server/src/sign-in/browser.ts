import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FormRequest } from '../html/form-guard.ts';
import { chooseLanguage, type Language } from '../html/language.ts';
import { readLanguage } from '../html/language-cookie.ts';
import type { Page } from '../html/page.ts';

export function languageOf(request: FastifyRequest): Language {
  const { cookie, 'accept-language': accepted } = request.headers;
  return readLanguage(cookie) ?? chooseLanguage(accepted);
}

export function formRequestOf(request: FastifyRequest): FormRequest {
  const fetchSite = request.headers['sec-fetch-site'];
  return {
    cookieHeader: request.headers.cookie,
    origin: request.headers.origin,
    fetchSite: typeof fetchSite === 'string' ? fetchSite : undefined,
  };
}

/** Returns a signal that aborts if the browser disconnects before the response is sent. */
export function abortOnDisconnect(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

export function sendPage(
  reply: FastifyReply,
  page: Page,
  cookies: readonly (string | null)[] = [],
): FastifyReply {
  return withCookies(reply, cookies).code(page.status).headers(page.headers).send(page.body);
}

/** Redirects with status 303, so that the browser uses GET. */
export function redirect(
  reply: FastifyReply,
  location: string,
  cookies: readonly (string | null)[] = [],
): FastifyReply {
  return withCookies(reply, cookies).code(303).header('location', location).send('');
}

function withCookies(reply: FastifyReply, cookies: readonly (string | null)[]): FastifyReply {
  const set = cookies.filter((cookie) => cookie !== null);
  return set.length > 0 ? reply.header('set-cookie', set) : reply;
}
