import { createServer, type IncomingMessage } from 'node:http';
import { AccessDeniedError } from '@cardport/client';
import { nodeNoticeHandler } from '@cardport/client/node';
import { app, complete, disconnect, findPhoto, sync } from './connection.ts';
import { LIVE } from './live.ts';
import { type Markup, markup } from './markup.ts';
import { boostsPage, MANAGE, message, LOADING, renderPage, stockPage } from './pages.ts';
import { storePending, browserOf } from './session.ts';
import { appUrl, port } from './settings.ts';
import { readFact } from './store.ts';
import { STYLE } from './style.ts';

const NONE = 'Connect your shop to show what it buys and sells. You can disconnect it at any time.';
const ENDED = 'The approval has ended or does not include stock. A member can connect it again.';
const STRANGER = message('Connected', 'To manage this board, connect the shop again.');
const DENIED = 'You did not allow access, so this board sees nothing of your shop.';

type Answer = Partial<{ status: number; headers: object; body: string | Uint8Array; page: Markup }>;
const isManager = (request: IncomingMessage): boolean => browserOf(request) === readFact('manager');

const routes: Record<string, (request: IncomingMessage, url: URL) => Answer | Promise<Answer>> = {
  'GET /': () => board('/', boostsPage),
  'GET /stock': (_, { searchParams: query }) => {
    const number = Math.floor(Math.min(Math.max(Number(query.get('page')) || 1, 1), 10_000));
    return board('/stock', () => stockPage(query.get('search') ?? '', number));
  },
  'GET /photos': async (_, { pathname }) => {
    const photo = await findPhoto(pathname.slice('/photos/'.length));
    if (photo === 'unchanged') return { status: 404 };
    const headers = { 'content-type': photo.contentType, 'cache-control': 'max-age=86400' };
    return { headers, body: photo.bytes };
  },
  'GET /style.css': () => ({ headers: { 'content-type': 'text/css' }, body: STYLE }),
  'GET /live.js': () => ({ headers: { 'content-type': 'text/javascript' }, body: LIVE }),
  'GET /manage': (request) =>
    isManager(request) ? show('/manage', MANAGE) : board('/manage', () => STRANGER),
  'GET /connect': async () => {
    const { url, pending } = await app.beginAuthorization();
    return redirect(url, storePending(pending));
  },
  'GET /callback': async (request, url) => {
    await complete(url.href, browserOf(request));
    return redirect('/');
  },
  'POST /manage': async (request) => {
    // No other site can submit this form for a signed-in visitor.
    if (request.headers.origin === appUrl.origin && isManager(request)) await disconnect();
    return redirect('/manage');
  },
};

function redirect(location: string, cookie: string | string[] = []): Answer {
  return { status: 303, headers: { location, 'set-cookie': cookie } };
}

function show(path: string, content: Markup, status = 200): Answer {
  return { status, headers: { 'content-type': 'text/html' }, page: renderPage(path, content) };
}

function board(path: string, make: () => Markup): Answer {
  if (readFact('shop') === null) return show(path, message('No shop yet', NONE));
  if (readFact('state') === 'ended') return show(path, message('This board is paused', ENDED));
  return show(path, readFact('syncedAt') === null ? LOADING : make());
}

async function answer(request: IncomingMessage): Promise<Answer> {
  try {
    const url = new URL(request.url ?? '/', appUrl);
    const route = routes[`${request.method} /${url.pathname.split('/')[1]}`];
    if (route !== undefined) return await route(request, url);
    return show('', message('Page not found', 'There is no such page.', markup``), 404);
  } catch (error) {
    if (error instanceof AccessDeniedError) return show('', message('Not connected', DENIED), 403);
    console.error(String(error));
    return show('', message('That did not work', 'Nothing was changed. Please try again.'), 502);
  }
}

const SOURCES = "script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'";
const SAFE = {
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; ${SOURCES} https: data:`,
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

const secret = (): string | null => readFact('webhookSecret');
const onNotice = nodeNoticeHandler({ secret, onNotice: () => sync.follower?.wake() });
const server = createServer((request, response) => {
  if (request.url === '/webhook') return onNotice(request, response);
  // Browsers list the preferred language first.
  const lang = /en|ja/.exec(request.headers['accept-language'] ?? '')?.[0] === 'ja' ? 'ja' : 'en';
  void answer(request).then(({ status = 200, headers, page, body = page?.[lang] }) =>
    response.writeHead(status, { ...SAFE, ...headers }).end(body),
  );
});
server.listen(port, '127.0.0.1', () => console.log(`The price board is at ${appUrl.origin}`));
