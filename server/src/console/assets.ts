import type { FastifyInstance } from 'fastify';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createCachedFile, type CachedFile, sendCachedFile } from '../http/cached-file.ts';

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
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** Without a version, as when scripts import each other, browsers revalidate and mostly get 304. */
const REVALIDATE = 'public, max-age=0, must-revalidate';

interface LoadedAssets {
  readonly byName: ReadonlyMap<string, CachedFile>;
  /** One hash over all files. */
  readonly version: string;
  readonly loadedAt: Date;
}

let loaded: LoadedAssets | null = null;

/** The address of an asset, with a version that changes with the content. */
export function assetPath(name: string): string {
  return `${PREFIX}${name}?v=${loadAssets().version}`;
}

/** Mounts `/console/assets/:file`. Public: the files hold no personal data. */
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

/** Reads the files once, for the first page: about twenty small ones. */
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
