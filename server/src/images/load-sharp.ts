import type sharp from 'sharp';

export type Sharp = typeof sharp;

/**
 * libvips could read more (Ultra HDR is read as plain JPEG). SVG is for the demo shop; the first
 * bytes of an uploaded body are checked before decoding.
 */
const LOADERS = [
  'VipsForeignLoadJpeg',
  'VipsForeignLoadPng',
  'VipsForeignLoadWebp',
  'VipsForeignLoadSvg',
];

let loaded: Promise<Sharp> | null = null;

/** Loaded with the first image: a service without photos saves 30 MB and 0.1 s. */
export async function loadSharp(): Promise<Sharp> {
  loaded ??= load();
  return await loaded;
}

async function load(): Promise<Sharp> {
  const { default: library } = await import('sharp');
  // Each image is decoded once, so a cache would only use memory.
  library.cache(false);
  // `DecodeQueue` limits how many images, and so how many threads, run at once.
  library.concurrency(1);
  library.block({ operation: ['VipsForeignLoad'] });
  library.unblock({ operation: LOADERS });
  return library;
}
