import type { PutLocationResult } from '../../inventory/location.ts';
import type { PutSiteResult } from '../../inventory/site.ts';
import { type ConsoleResponse, redirectTo } from '../response.ts';
import type { FormError } from '../parts/notes.ts';
import type { RequestContext } from '../request-context.ts';
import { placeMessages } from './messages.ts';

export function toSaveResult(
  context: RequestContext,
  siteId: string,
  added: 'site_added' | 'location_added',
  result: PutSiteResult | PutLocationResult,
): ConsoleResponse | { readonly kind: 'refused'; readonly errors: readonly FormError[] } {
  const path = context.shopPath(`/places/${siteId}`);
  switch (result.kind) {
    case 'created':
      return redirectTo(path, added);
    case 'updated':
      return redirectTo(path, 'saved');
    case 'unchanged':
      return redirectTo(path, 'unchanged');
    case 'conflict':
    case 'unknown_reference':
    case 'incomplete': {
      const detail = result.kind === 'incomplete' ? result.missing.join(', ') : result.detail;
      const text = placeMessages[context.language].conflict(detail);
      return { kind: 'refused', errors: [{ field: null, text }] };
    }
  }
}
