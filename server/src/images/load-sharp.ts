import type sharp from 'sharp';

export type Sharp = typeof sharp;

/**
 * The only loaders that are allowed, even if libvips could read more (Ultra HDR is read as plain
 * JPEG). SVG is for the photos of the demo shop; the kind of an uploaded body is checked by its
 * first bytes before decoding.
 */
const LOADERS = [
  'VipsForeignLoadJpeg',
  'VipsForeignLoadPng',
  'VipsForeignLoadWebp',
  'VipsForeignLoadSvg',
];

let loaded: Promise<Sharp> | null = null;

/**
 * Loads sharp when the first picture arrives: a service without photos saves 30 MB and 0.1 s.
 * Configured for a process that also answers requests.
 */
export async function loadSharp(): Promise<Sharp> {
  loaded ??= load();
  return await loaded;
}

async function load(): Promise<Sharp> {
  const { default: library } = await import('sharp');
  // Each picture is decoded once, so a cache would only use memory.
  library.cache(false);
  // One thread per picture, in addition to that of the thread pool; `DecodeQueue` limits how many
  // pictures run at once.
  library.concurrency(1);
  library.block({ operation: ['VipsForeignLoad'] });
  library.unblock({ operation: LOADERS });
  return library;
}
