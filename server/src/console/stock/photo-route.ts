import type { Readable } from 'node:stream';
import { isUuid } from '../../base/field.ts';
import { serviceUnavailable } from '../../http/errors.ts';
import { respondWithRepresentation } from '../../http/representation.ts';
import { withBodyTimeout } from '../../http/body-timeout.ts';
import { findUnitPhoto } from '../../inventory/photo.ts';
import { photoContent } from '../../inventory/photo-content.ts';
import { parseSide, type UnitPhoto } from '../../inventory/unit-photo.ts';
import { parseImageSize, StoreUnavailable } from '../../images/image-store.ts';
import type { ConsoleDeps } from '../deps.ts';
import { ConsoleRefusal } from '../refusal.ts';
import type { SectionRoutes } from '../section.ts';
import type { RequestContext } from '../request-context.ts';

/** A versioned address never changes its image. A list of fifty photos then needs no requests. */
const CACHE_ONE_DAY = 'private, max-age=86400';
/** Browsers must revalidate all other addresses. Most responses are 304. */
const REVALIDATE = 'private, no-cache';

/** Mounts the route that sends units' photos to members' browsers. */
export function mountPhotoRoute({ scope, gate }: SectionRoutes, deps: ConsoleDeps): void {
  scope.route({
    method: ['GET', 'HEAD'],
    // Fastify's automatic HEAD route would read the complete image to count its bytes.
    exposeHeadRoute: false,
    url: gate.registerPath('GET', '/stock/:id/photos/:side', 'inventory.read'),
    handler: async (request, reply) => {
      const context = await gate.authorize(request, 'inventory.read');
      const size = parseImageSize(context.query['size']);
      const photo = await findPhoto(deps, context);
      if (photo === undefined || size === null) throw notFound();
      const { etag, contentType } = photo;
      const { length, open } = photoContent(deps, context.shop.id, photo, size);
      const { status, headers, body } = await respondWithRepresentation(request, {
        etag,
        lastModified: new Date(photo.updatedAt),
        contentType,
        length,
        open: async () => await orUnavailable(async () => await open(request.signal)),
      });
      const isCurrentVersion = `"${context.query['v'] ?? ''}"` === etag;
      reply.code(status).headers({
        ...headers,
        'cache-control': isCurrentVersion ? CACHE_ONE_DAY : REVALIDATE,
        // The response depends on the session.
        vary: 'cookie',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cross-origin-resource-policy': 'same-origin',
      });
      return await (body === null ? reply.send() : reply.send(withBodyTimeout(body)));
    },
  });
}

async function findPhoto(
  { db }: ConsoleDeps,
  { shop, params }: RequestContext,
): Promise<UnitPhoto | undefined> {
  const { id } = params;
  const side = parseSide(params['side']);
  if (side === null || !isUuid(id)) return undefined;
  return await findUnitPhoto(db, shop.id, id.toLowerCase(), side);
}

function notFound(): ConsoleRefusal {
  return new ConsoleRefusal({ kind: 'not_found' });
}

async function orUnavailable(open: () => Promise<Readable | undefined>): Promise<Readable> {
  try {
    const bytes = await open();
    if (bytes === undefined) throw notFound();
    return bytes;
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw serviceUnavailable({ cause: error, detail: 'The photo store is unavailable.' });
  }
}
