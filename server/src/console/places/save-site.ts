import { newId } from '../../base/secrets.ts';
import { lockSites, putSite, SITE_KINDS } from '../../inventory/site.ts';
import { findShownSite } from '../../inventory/site-list.ts';
import { type ConsoleAnswer, NOT_FOUND } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { answerForm, type Form, showForm } from '../parts/form/form.ts';
import type { Visit } from '../visit.ts';
import { siteFields, type SiteValues } from './place-fields.ts';
import { savedPlace } from './saved-place.ts';
import { placeMessages } from './messages.ts';

const NEW_SITE: SiteValues = {
  name: '',
  code: '',
  kind: 'store',
  countryCode: 'JP',
  timezone: 'Asia/Tokyo',
  isActive: true,
};

/** The form of a site; null for a new one. */
export async function siteFormPage(
  { db }: ConsoleDeps,
  visit: Visit,
  siteId: string | null,
): Promise<ConsoleAnswer> {
  const site = siteId === null ? NEW_SITE : await findShownSite(db, visit.shop.id, siteId);
  return site === undefined
    ? NOT_FOUND
    : await showForm(visit, formOf(visit, siteId), valuesOf(site));
}

/** Saves the form of a site; null creates one. */
export async function saveSite(
  { db, write }: ConsoleDeps,
  visit: Visit,
  siteId: string | null,
): Promise<ConsoleAnswer> {
  const { shop, now } = visit;
  if (siteId !== null && (await findShownSite(db, shop.id, siteId)) === undefined) return NOT_FOUND;
  return await answerForm(visit, formOf(visit, siteId), async ({ values, change, isOvertaken }) => {
    const id = siteId ?? newId();
    return await write(shop.id, async (tx) => {
      if (siteId === null) {
        return savedPlace(visit, id, 'site_added', await putSite(tx, shop.id, id, values, now));
      }
      const [row] = await lockSites(tx, shop.id, [siteId]);
      if (row === undefined) return NOT_FOUND;
      const standing = valuesOf(row);
      if (isOvertaken(standing)) return { kind: 'overtaken', now: standing };
      return savedPlace(visit, id, 'site_added', await putSite(tx, shop.id, id, change, now));
    });
  });
}

function valuesOf(site: Omit<SiteValues, 'kind'> & { readonly kind: string }): SiteValues {
  const { name, code, countryCode, timezone, isActive } = site;
  const kind = SITE_KINDS.find((each) => each === site.kind) ?? 'other';
  return { name, code, kind, countryCode, timezone, isActive };
}

function formOf(visit: Visit, siteId: string | null): Form<SiteValues> {
  const messages = placeMessages[visit.language];
  const list = visit.path('/places');
  const isNew = siteId === null;
  const href = isNew ? list : `${list}/${siteId}`;
  return {
    page: {
      title: isNew ? messages.addSite : messages.editSite,
      section: 'places',
      back: { href, label: isNew ? messages.title : messages.site },
    },
    action: isNew ? `${list}/new` : `${href}/edit`,
    fields: siteFields(visit.language),
  };
}
