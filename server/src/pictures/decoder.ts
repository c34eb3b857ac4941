import type sharp from 'sharp';

export type Sharp = typeof sharp;

/**
 * Nothing else is ever decoded, whatever libvips would make of the bytes (Ultra HDR is read as the JPEG that it is). SVG
 * is what the demo shop draws its photos in; a body's kind is told by its first bytes before it comes here.
 */
const LOADERS = [
  'VipsForeignLoadJpeg',
  'VipsForeignLoadPng',
  'VipsForeignLoadWebp',
  'VipsForeignLoadSvg',
];

let loaded: Promise<Sharp> | null = null;

/**
 * The picture library, loaded at the first picture: a service without photos has no use for its 30 MB and 0.1 s. Bounded
 * for a process that also answers requests.
 */
export async function loadDecoder(): Promise<Sharp> {
  loaded ??= load();
  return await loaded;
}

async function load(): Promise<Sharp> {
  const { default: library } = await import('sharp');
  // Each picture is seen once: a cache would only hold its memory.
  library.cache(false);
  // One thread a picture, beside that of the thread pool; two pictures at once are for `PictureQueue` to say.
  library.concurrency(1);
  library.block({ operation: ['VipsForeignLoad'] });
  library.unblock({ operation: LOADERS });
  return library;
}
