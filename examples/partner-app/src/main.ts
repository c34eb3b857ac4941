import { createServer, type IncomingMessage } from 'node:http';
import type { PendingAuthorization } from '@cardport/client';
import { nodeNoticeHandler } from '@cardport/client/node';
import { app, complete, disconnect, findPhoto, linkState, stop, wake } from './link.ts';
import type { Markup } from './markup.ts';
import { boostsPage, managePage, message, page, stockPage } from './pages.ts';
import { isManager, managerKey, readCookie, setCookie } from './session.ts';
import { appUrl, port } from './settings.ts';
import { readFact } from './store.ts';
import { STYLE } from './style.ts';

type Answer = Partial<{ status: number; headers: object; body: string | Uint8Array }>;

const routes: Record<string, (request: IncomingMessage, url: URL) => Answer | Promise<Answer>> = {
  'GET /': () => board('/', boostsPage),
  'GET /stock': (_, { searchParams: query }) => {
    const number = Math.floor(Math.min(Math.max(Number(query.get('page')) || 1, 1), 10_000));
    return board('/stock', () => stockPage(query.get('search') ?? '', number));
  },
  'GET /photos': async (_, { pathname }) => {
    const [, , id = '', side = '', size = ''] = pathname.split('/');
    const photo = await findPhoto(id, side, size);
    if (photo === null) return { status: 404 };
    const headers = { 'content-type': photo.contentType, 'cache-control': 'max-age=86400' };
    return { headers, body: photo.bytes };
  },
  'GET /style.css': () => ({ headers: { 'content-type': 'text/css' }, body: STYLE }),
  'GET /manage': (request) => board('/manage', () => managePage(isManager(request))),
  'GET /connect': async () => {
    const { url, pending } = await app.beginAuthorization();
    return redirect(url, setCookie('pending', JSON.stringify(pending)));
  },
  'GET /callback': async (request, url) => {
    const begun = readCookie(request, 'pending') || 'null';
    await complete(url.href, JSON.parse(begun) as PendingAuthorization | null);
    return redirect('/', setCookie('manager', managerKey));
  },
  'POST /manage': async (request) => {
    // No other site can send this form in the name of whom it is allowed to.
    if (request.headers.origin === appUrl.origin && isManager(request)) await disconnect();
    return redirect('/manage', setCookie('pending', ''));
  },
};

function redirect(location: string, cookie: string): Answer {
  return { status: 303, headers: { location, 'set-cookie': cookie } };
}

function show(path: string, content: Markup, status = 200): Answer {
  return { status, headers: { 'content-type': 'text/html' }, body: page(path, content) };
}

function board(path: string, make: () => Markup): Answer {
  const none = 'Connect your shop to show what it buys and sells. You can end that at any time.';
  const ended =
    'The shop’s approval has ended, so no prices are shown. Its members can connect it again.';
  if (linkState() === 'none') return show(path, message('No shop yet', none));
  return show(path, linkState() === 'ended' ? message('This board is paused', ended) : make());
}

async function answer(request: IncomingMessage): Promise<Answer> {
  try {
    const url = new URL(request.url ?? '/', appUrl);
    const route = routes[`${request.method} /${url.pathname.split('/')[1]}`];
    return (await route?.(request, url)) ?? { status: 404 };
  } catch (error) {
    console.error(String(error));
    return show('', message('That did not work', 'Nothing was changed. Please try again.'), 502);
  }
}

const SAFE = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; img-src 'self' https:; style-src 'self'",
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
};

const server = createServer((request, response) => {
  const secret = readFact<string>('webhookSecret');
  if (request.url === '/webhook' && secret) {
    return nodeNoticeHandler({ secret, onNotice: wake })(request, response);
  }
  void answer(request).then(({ status = 200, headers, body }) =>
    response.writeHead(status, { ...SAFE, ...headers }).end(body),
  );
});
server.listen(port, '127.0.0.1', () => console.log(`The price board is at ${appUrl.origin}`));

const end = (): void => void stop().finally(() => process.exit());
process.once('SIGINT', end).once('SIGTERM', end);
