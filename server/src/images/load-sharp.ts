import type sharp from 'sharp';

export type Sharp = typeof sharp;

/** Ultra HDR is read as plain JPEG. SVG is only for the demo: an upload's format is checked. */
const LOADERS = [
  'VipsForeignLoadJpeg',
  'VipsForeignLoadPng',
  'VipsForeignLoadWebp',
  'VipsForeignLoadSvg',
];

let loaded: Promise<Sharp> | null = null;

/** Loads sharp for the first image, so that a service without photos saves 30 MB and 0.1 s. */
export async function loadSharp(): Promise<Sharp> {
  loaded ??= load();
  return await loaded;
}

async function load(): Promise<Sharp> {
  const { default: library } = await import('sharp');
  // Each image is decoded once, so a cache would only use memory.
  library.cache(false);
  // One thread per image. `DecodeQueue` limits the number of concurrent images.
  library.concurrency(1);
  library.block({ operation: ['VipsForeignLoad'] });
  library.unblock({ operation: LOADERS });
  return library;
}
