import type { FastifyInstance } from 'fastify';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { keepFile, type KeptFile, sendKeptFile } from '../http/kept-file.ts';

/**
 * Scripts that a page may name, in addition to `console`, which every page loads. Each is
 * `browser/NAME.js`.
 */
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

const PREFIX = '/console/assets/';
/** The same path within the scope of the console. */
const ROUTE = '/assets/:file';
/** A versioned address never changes its content. */
const FOREVER = 'public, max-age=31536000, immutable';
/** Without a version, as when scripts import each other, browsers revalidate and mostly get 304. */
const ASK_AGAIN = 'public, max-age=0, must-revalidate';

interface OpenAssets {
  readonly byName: ReadonlyMap<string, KeptFile>;
  /** One hash over all files. */
  readonly version: string;
  readonly openedAt: Date;
}

let opened: OpenAssets | null = null;

/** The address of an asset, with a version that changes with the content. */
export function assetPath(name: string): string {
  return `${PREFIX}${name}?v=${open().version}`;
}

/** Mounts `/console/assets/:file`. Public: the files hold no personal data. */
export function mountAssets(app: FastifyInstance): void {
  app.get<{ Params: { readonly file: string }; Querystring: { readonly v?: unknown } }>(
    ROUTE,
    async (request, reply) => {
      const { byName, version, openedAt } = open();
      const asset = byName.get(request.params.file);
      if (asset === undefined) return reply.callNotFound();
      const caching = request.query.v === version ? FOREVER : ASK_AGAIN;
      return sendKeptFile(request, reply, asset, openedAt, { 'cache-control': caching });
    },
  );
}

/** Reads the files once, for the first page: about twenty small ones. */
function open(): OpenAssets {
  if (opened !== null) return opened;
  const byName = new Map<string, KeptFile>();
  const style = styleSheets().join('\n');
  byName.set('console.css', keepFile('text/css; charset=utf-8', style));
  const scripts = new URL('browser/', import.meta.url);
  for (const name of readdirSync(scripts).filter((each) => each.endsWith('.js'))) {
    byName.set(
      name,
      keepFile('text/javascript; charset=utf-8', readFileSync(new URL(name, scripts))),
    );
  }
  byName.set(
    'uplot.js',
    keepFile('text/javascript; charset=utf-8', readFileSync(plotFile('esm.js'))),
  );
  const hash = createHash('sha256');
  for (const [name, { bytes }] of byName) hash.update(name).update(bytes);
  const version = hash.digest('base64url').slice(0, 16);
  opened = { byName, version, openedAt: new Date() };
  return opened;
}

/** First the sheets that the sections' sheets build on. */
const FIRST_SHEETS = ['console.css', 'layout.css', 'parts.css'];

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
