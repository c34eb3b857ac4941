import { newId } from '../../base/secrets.ts';
import type { Transaction } from '../../database/database.ts';
import { lockSites, putSite, type PutSiteResult } from '../../inventory/site.ts';
import { findShownSite } from '../../inventory/site-list.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { FormFault } from '../parts/notes.ts';
import type { Visit } from '../visit.ts';
import {
  type PlaceForm,
  type PlaceTexts,
  type ReadSite,
  readSite,
  renderPlaceForm,
  textsOfForm,
} from './place-form.ts';
import { placeMessages } from './messages.ts';

const NEW_SITE: PlaceTexts = {
  code: '',
  name: '',
  kind: 'store',
  countryCode: 'JP',
  timezone: 'Asia/Tokyo',
  isActive: true,
};

type SavedSite =
  | PutSiteResult
  | { readonly kind: 'not_found' }
  | { readonly kind: 'stale'; readonly now: PlaceTexts; readonly seen: string };

/** The form of a new site. */
export async function newSitePage(_deps: ConsoleDeps, visit: Visit): Promise<ConsoleAnswer> {
  return await Promise.resolve(showForm(visit, null, { texts: NEW_SITE }));
}

/** The form of a site as it stands. */
export async function editSitePage(
  { db }: ConsoleDeps,
  visit: Visit,
  siteId: string,
): Promise<ConsoleAnswer> {
  const site = await findShownSite(db, visit.shop.id, siteId);
  if (site === undefined) return NOT_FOUND;
  return showForm(visit, siteId, { texts: site, seen: site.updatedAt.toISOString() });
}

/** Makes a site (null), or changes one that nobody has changed since the form was shown. */
export async function saveSite(
  deps: ConsoleDeps,
  visit: Visit,
  siteId: string | null,
): Promise<ConsoleAnswer> {
  const texts = textsOfForm(visit.form);
  const seen = visit.form.get('seen') ?? '';
  const { site, faults } = readSite(texts, visit.language);
  const isGone =
    siteId !== null && (await findShownSite(deps.db, visit.shop.id, siteId)) === undefined;
  if (isGone) return NOT_FOUND;
  if (site === null) return showForm(visit, siteId, { texts, seen, faults });
  const id = siteId ?? newId();
  const result = await deps.write(visit.shop.id, async (tx) =>
    siteId === null
      ? await putSite(tx, visit.shop.id, id, site, visit.now)
      : await change(tx, visit, siteId, { site, seen }),
  );
  const messages = placeMessages[visit.language];
  switch (result.kind) {
    case 'not_found':
      return NOT_FOUND;
    case 'stale': {
      const stale = [{ field: null, text: messages.stale }];
      return showForm(visit, siteId, { texts, seen: result.seen, faults: stale, now: result.now });
    }
    case 'conflict':
    case 'incomplete': {
      const detail = result.kind === 'conflict' ? result.detail : result.missing.join(', ');
      const refused = [{ field: null, text: messages.conflict(detail) }];
      return showForm(visit, siteId, { texts, seen, faults: refused });
    }
    case 'created':
      return goTo(visit.path(`/places/${id}`), 'site_added');
    case 'updated':
      return goTo(visit.path(`/places/${id}`), 'saved');
    case 'unchanged':
      return goTo(visit.path(`/places/${id}`), 'unchanged');
  }
}

async function change(
  tx: Transaction,
  visit: Visit,
  siteId: string,
  { site, seen }: { readonly site: ReadSite; readonly seen: string },
): Promise<SavedSite> {
  const [row] = await lockSites(tx, visit.shop.id, [siteId]);
  if (row === undefined) return { kind: 'not_found' };
  const changedAt = row.updatedAt.toISOString();
  if (changedAt !== seen) return { kind: 'stale', now: row, seen: changedAt };
  return await putSite(tx, visit.shop.id, siteId, site, visit.now);
}

function showForm(
  visit: Visit,
  siteId: string | null,
  state: Pick<PlaceForm, 'texts'> & {
    readonly seen?: string;
    readonly faults?: readonly FormFault[];
    readonly now?: PlaceTexts;
  },
): ConsoleAnswer {
  const messages = placeMessages[visit.language];
  const { texts, seen = '', faults = [], now = null } = state;
  const list = visit.path('/places');
  const path = siteId === null ? list : `${list}/${siteId}`;
  const action = siteId === null ? `${list}/new` : `${path}/edit`;
  const form: PlaceForm = { what: 'site', texts, seen, faults, now, action, cancelHref: path };
  return showPage({
    title: siteId === null ? messages.addSite : messages.editSite,
    section: 'places',
    status: faults.length === 0 ? 200 : 422,
    back: { href: path, label: siteId === null ? messages.title : messages.site },
    content: renderPlaceForm(visit, form),
  });
}
