import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isNotModified } from '../http/conditional.ts';

/** Scripts that a page may ask for by name, beside `console`, which every page has. Each is `browser/NAME.js`. */
export const SCRIPTS = [
  'boost-form',
  'card-picker',
  'notice',
  'passkey',
  'photo',
  'plot',
  'redirect-uris',
  'stock-list',
] as const;
export type ScriptName = (typeof SCRIPTS)[number];

/** Where the assets are. */
const PREFIX = '/console/assets/';
/** The same within the scope of the console. */
const ROUTE = '/assets/:file';
/** An address with the right version never changes what it shows. */
const FOREVER = 'public, max-age=31536000, immutable';
/** Without it, browsers ask again and are mostly told that nothing changed: what scripts import from each other. */
const ASK_AGAIN = 'public, max-age=0, must-revalidate';

interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  readonly compressed: Buffer;
  readonly etag: string;
}

interface OpenAssets {
  readonly byName: ReadonlyMap<string, Asset>;
  /** Of all of them together. */
  readonly version: string;
  readonly openedAt: Date;
}

let opened: OpenAssets | null = null;

/** The address of an asset, which changes with its contents. */
export function assetPath(name: string): string {
  return `${PREFIX}${name}?v=${open().version}`;
}

/** Mounts `/console/assets/:file`. Public: the files hold nothing of anybody. */
export function mountAssets(app: FastifyInstance): void {
  app.get<{ Params: { readonly file: string }; Querystring: { readonly v?: unknown } }>(
    ROUTE,
    async (request, reply) => {
      const { byName, version, openedAt } = open();
      const asset = byName.get(request.params.file);
      if (asset === undefined) return reply.callNotFound();
      const caching = request.query.v === version ? FOREVER : ASK_AGAIN;
      return send(request, reply, asset, { caching, lastModified: openedAt });
    },
  );
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  asset: Asset,
  { caching, lastModified }: { readonly caching: string; readonly lastModified: Date },
): FastifyReply {
  const isCompressed = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  const etag = isCompressed ? asset.etag.replace(/"$/, '-gzip"') : asset.etag;
  reply.headers({
    'cache-control': caching,
    etag,
    'last-modified': lastModified.toUTCString(),
    vary: 'accept-encoding',
    'content-type': asset.type,
    'x-content-type-options': 'nosniff',
  });
  if (isNotModified(request.headers, { etag, lastModified })) return reply.code(304).send();
  if (isCompressed) reply.header('content-encoding', 'gzip');
  return reply.send(isCompressed ? asset.compressed : asset.bytes);
}

/** Reads the files once, when the first page is asked for: some twenty small ones. */
function open(): OpenAssets {
  if (opened !== null) return opened;
  const byName = new Map<string, Asset>();
  const style = styleSheets().join('\n');
  byName.set('console.css', keep('text/css; charset=utf-8', Buffer.from(style)));
  const scripts = new URL('browser/', import.meta.url);
  for (const name of readdirSync(scripts).filter((each) => each.endsWith('.js'))) {
    byName.set(name, keep('text/javascript; charset=utf-8', readFileSync(new URL(name, scripts))));
  }
  byName.set('uplot.js', keep('text/javascript; charset=utf-8', readFileSync(plotFile('esm.js'))));
  const hash = createHash('sha256');
  for (const [name, { bytes }] of byName) hash.update(name).update(bytes);
  const version = hash.digest('base64url').slice(0, 16);
  opened = { byName, version, openedAt: new Date() };
  return opened;
}

/** First what the sections' sheets build on: tokens, the frame, then the parts. */
const FIRST_SHEETS = ['console.css', 'layout.css', 'parts.css'];

/** The text of every sheet, in their order. */
function styleSheets(): string[] {
  const folder = new URL('assets/', import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith('.css'));
  const rest = names.filter((name) => !FIRST_SHEETS.includes(name)).toSorted();
  const own = [...FIRST_SHEETS, ...rest].map((name) => readFileSync(new URL(name, folder), 'utf8'));
  return [readFileSync(plotFile('min.css'), 'utf8'), ...own];
}

function plotFile(ending: 'esm.js' | 'min.css'): string {
  const main = createRequire(import.meta.url).resolve('uplot');
  return main.replace(/[^/\\]+$/, `uPlot.${ending}`);
}

function keep(type: string, bytes: Buffer): Asset {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { type, bytes, compressed: gzipSync(bytes), etag };
}
