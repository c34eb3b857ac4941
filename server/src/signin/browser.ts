import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FormRequest } from '../pages/form-guard.ts';
import { chooseLanguage, type Language } from '../pages/language.ts';
import { readLanguage } from '../pages/language-cookie.ts';
import type { Page } from '../pages/page.ts';

/** The language that somebody has chosen in this browser, or else the one that the browser asks for. */
export function languageOf(request: FastifyRequest): Language {
  const { cookie, 'accept-language': accepted } = request.headers;
  return readLanguage(cookie) ?? chooseLanguage(accepted);
}

/** What tells where a form came from. */
export function formRequestOf(request: FastifyRequest): FormRequest {
  const fetchSite = request.headers['sec-fetch-site'];
  return {
    cookieHeader: request.headers.cookie,
    origin: request.headers.origin,
    fetchSite: typeof fetchSite === 'string' ? fetchSite : undefined,
  };
}

/** Aborts when the browser goes before it has its answer. */
export function departureOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Sends a page, with the cookies that go with it. */
export function sendPage(
  reply: FastifyReply,
  page: Page,
  cookies: readonly (string | null)[] = [],
): FastifyReply {
  return withCookies(reply, cookies).code(page.status).headers(page.headers).send(page.body);
}

/** Sends the browser on by GET (303), with the cookies that go with it. */
export function sendOn(
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
