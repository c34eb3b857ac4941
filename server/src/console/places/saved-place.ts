import type { PutLocationResult } from '../../inventory/location.ts';
import type { PutSiteResult } from '../../inventory/site.ts';
import { type ConsoleAnswer, goTo } from '../answer.ts';
import type { FormFault } from '../parts/notes.ts';
import type { Visit } from '../visit.ts';
import { placeMessages } from './messages.ts';

/** Redirects to the page of the site after saving, or says why the form was rejected. */
export function savedPlace(
  visit: Visit,
  siteId: string,
  added: 'site_added' | 'location_added',
  result: PutSiteResult | PutLocationResult,
): ConsoleAnswer | { readonly kind: 'refused'; readonly faults: readonly FormFault[] } {
  const path = visit.path(`/places/${siteId}`);
  switch (result.kind) {
    case 'created':
      return goTo(path, added);
    case 'updated':
      return goTo(path, 'saved');
    case 'unchanged':
      return goTo(path, 'unchanged');
    case 'conflict':
    case 'unknown_reference':
    case 'incomplete': {
      const detail = result.kind === 'incomplete' ? result.missing.join(', ') : result.detail;
      const text = placeMessages[visit.language].conflict(detail);
      return { kind: 'refused', faults: [{ field: null, text }] };
    }
  }
}
