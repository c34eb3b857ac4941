import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { ApiError } from '../http/errors.ts';
import { createCachedFile, type CachedFile, sendCachedFile } from '../http/cached-file.ts';
import { chooseLanguage, type Language } from '../html/language.ts';
import { readLanguage } from '../html/language-cookie.ts';
import { renderPage } from '../html/page.ts';
import { FIRST_PAGE } from './page-link.ts';
import type { DocsSite } from './site.ts';
import { docsMessages } from './messages.ts';

/** The folder of the pages. It exists in a deployment, which is a copy of the repository. */
const FOLDER = new URL('../../../docs/', import.meta.url);

interface OpenedSite {
  readonly site: DocsSite;
  readonly policy: string;
  readonly script: CachedFile;
  /** The `Last-Modified` of all files: the time at which the folder was opened. */
  readonly lastModified: Date;
}

/** Serves pages at `/docs`, their Markdown at `/docs/x.md`. The first request reads the folder. */
export function registerDocs(app: FastifyInstance, folder: URL = FOLDER): void {
  let opening: Promise<OpenedSite> | null = null;
  // If the folder cannot be read, the next request tries again.
  const open = async (): Promise<OpenedSite> => {
    opening ??= openSite(folder);
    try {
      return await opening;
    } catch (error) {
      opening = null;
      throw error;
    }
  };
  const respond = async (
    request: FastifyRequest,
    reply: FastifyReply,
    find: (
      opened: OpenedSite,
      language: Language,
    ) => Promise<CachedFile | null> | CachedFile | null,
  ): Promise<FastifyReply> => {
    const language = chosenLanguage(request);
    const opened = await open();
    const file = await find(opened, language);
    if (file === null) return await sendNotFound(request, reply, language);
    return sendCachedFile(request, reply, file, opened.lastModified, {
      'content-security-policy': opened.policy,
      vary: 'accept-encoding, accept-language, cookie',
    });
  };
  app.get('/docs', async (request, reply) => {
    return await respond(request, reply, async ({ site }, language) => {
      return await site.page(FIRST_PAGE, language);
    });
  });
  app.get('/docs/', (_request, reply) => reply.redirect('/docs', 308));
  app.get('/docs/assets/docs.js', async (request, reply) => {
    return await respond(request, reply, ({ script }) => script);
  });
  app.get<{ Params: { readonly file: string } }>('/docs/images/:file', async (request, reply) => {
    return await respond(request, reply, ({ site }) => site.image(request.params.file));
  });
  app.get<{ Params: { readonly name: string } }>('/docs/:name', async (request, reply) => {
    const { name } = request.params;
    return await respond(request, reply, async ({ site }, language) => {
      if (name.endsWith('.md')) return site.source(name);
      // The first page is served only at /docs.
      return name === FIRST_PAGE ? null : await site.page(name, language);
    });
  });
}

/** Returns the language of the query, or else of the console's cookie, or else of the browser. */
function chosenLanguage({ query, headers }: FastifyRequest): Language {
  const { lang } = query as { readonly lang?: unknown };
  if (lang === 'en' || lang === 'ja') return lang;
  return readLanguage(headers.cookie) ?? chooseLanguage(headers['accept-language']);
}

/** Highlighter and parser take about 60 ms to load, and most processes never need them. */
async function openSite(folder: URL): Promise<OpenedSite> {
  const [{ DocsSite }, { DOCS_SCRIPT }, { DOCS_STYLE_SOURCE }] = await Promise.all([
    import('./site.ts'),
    import('./script.ts'),
    import('./style.ts'),
  ]);
  const policy = [
    "default-src 'none'",
    `style-src ${DOCS_STYLE_SOURCE}`,
    "script-src 'self'",
    // `data:` allows the empty icon, which keeps browsers from requesting another icon.
    "img-src 'self' data:",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
  return {
    site: new DocsSite(folder),
    policy,
    script: createCachedFile('text/javascript; charset=utf-8', DOCS_SCRIPT),
    lastModified: new Date(),
  };
}

/** Sends an HTML page to browsers and the usual error body to other clients. */
async function sendNotFound(
  request: FastifyRequest,
  reply: FastifyReply,
  language: Language,
): Promise<FastifyReply> {
  if (!(request.headers.accept ?? '').includes('text/html')) throw new ApiError(404, 'not_found');
  const { title, text, link } = docsMessages[language].unknown;
  const content = html`<p>${text}</p>
    <p><a href="/docs">${link}</a></p>`;
  const { status, headers, body } = await renderPage({ status: 404, language, title, content });
  return reply.code(status).headers(headers).send(body);
}
