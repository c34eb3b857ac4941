import type { FastifyInstance } from 'fastify';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createCachedFile, type CachedFile, sendCachedFile } from '../http/cached-file.ts';

/**
 * The scripts that a page may load in addition to `console`, which every page loads. The file of
 * each is `browser/NAME.js`.
 */
export const SCRIPTS = [
  'boost-form',
  'camera',
  'card-picker',
  'delivery-progress',
  'passkey',
  'photo',
  'plot',
  'redirect-uris',
  'stock-list',
  'stock-search',
] as const;
export type ScriptName = (typeof SCRIPTS)[number];

const PREFIX = '/console/assets/';
/** The path of an asset, relative to the console's route prefix. */
const ROUTE = '/assets/:file';
/** The content of a versioned address never changes, so caches need not revalidate it. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** Scripts import each other without a version, so browsers must revalidate; most get a 304. */
const REVALIDATE = 'public, max-age=0, must-revalidate';

interface LoadedAssets {
  readonly byName: ReadonlyMap<string, CachedFile>;
  /** One hash over the contents of all files. */
  readonly version: string;
  readonly loadedAt: Date;
}

let loaded: LoadedAssets | null = null;

/** Returns the address of an asset, with a version that changes with the content. */
export function assetPath(name: string): string {
  return `${PREFIX}${name}?v=${loadAssets().version}`;
}

/** Needs no sign-in, because the files hold no personal data. */
export function mountAssets(app: FastifyInstance): void {
  app.get<{ Params: { readonly file: string }; Querystring: { readonly v?: unknown } }>(
    ROUTE,
    async (request, reply) => {
      const { byName, version, loadedAt } = loadAssets();
      const asset = byName.get(request.params.file);
      if (asset === undefined) return reply.callNotFound();
      const caching = request.query.v === version ? IMMUTABLE : REVALIDATE;
      return sendCachedFile(request, reply, asset, loadedAt, { 'cache-control': caching });
    },
  );
}

/** Loads all files, about twenty small ones, when the first page is rendered. */
function loadAssets(): LoadedAssets {
  if (loaded !== null) return loaded;
  const byName = new Map<string, CachedFile>();
  const style = styleSheets().join('\n');
  byName.set('console.css', createCachedFile('text/css; charset=utf-8', style));
  const scripts = new URL('browser/', import.meta.url);
  for (const name of readdirSync(scripts).filter((each) => each.endsWith('.js'))) {
    byName.set(
      name,
      createCachedFile('text/javascript; charset=utf-8', readFileSync(new URL(name, scripts))),
    );
  }
  byName.set(
    'uplot.js',
    createCachedFile('text/javascript; charset=utf-8', readFileSync(plotFile('esm.js'))),
  );
  const hash = createHash('sha256');
  for (const [name, { bytes }] of byName) hash.update(name).update(bytes);
  const version = hash.digest('base64url').slice(0, 16);
  loaded = { byName, version, loadedAt: new Date() };
  return loaded;
}

/** The style sheets that come first, because the sheets of the sections build on them. */
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
